// block_plan.hpp: how a pyramid is divided into blocks, boxes whose levels are made together.
//
//     pass 0   blocks of the base  ->  levels 0 .. k      and the unrounded level k of each block, in a file
//     pass 1   blocks of level k   ->  levels k+1 .. m    from these files, by the same code
//     ...                                                 until the last level is made
//
// A block of a pass that ends at level m is, per axis, shard * 2^(halvings up to m) voxels: of each level it holds
// whole shards, so that no two blocks write one file. Blocks are made in any order, by any process.
// Where a source stores strips or planes, which are decoded as a whole, a block is several of these side by side, as
// memory allows.
#pragma once

#include <cstdint>
#include <vector>

#include "volume_files/volume_layout.hpp"

namespace onepass::volumes {

/// Blocks have no more voxels than this, unless shards are so large: some seconds of work, which an interruption loses.
struct BlockLimits {
  uint64_t voxels = uint64_t{1} << 30;
};
/// For tests, which need many blocks.
inline BlockLimits block_limits;

struct Pass {
  uint32_t first_level = 0;  ///< Whose voxels, or unrounded numbers, are read.
  uint32_t last_level = 0;   ///< The coarsest level that is made.
  VolumeSize block;          ///< In voxels of first_level, not cut at the borders of the volume.
  VolumeSize counts;         ///< Blocks of a volume per axis.
  uint64_t bytes = 0;        ///< Memory of a block: its slabs and its stream.

  [[nodiscard]] bool writes_first_level() const { return first_level == 0; }
};

/// A block of a pass.
struct Block {
  uint32_t volume = 0;  ///< Of the set.
  uint32_t number = 0;  ///< Among all of the pass: volumes in order, x fastest.
  VolumeBox box;        ///< In voxels of the pass's first level.
};

/// The passes of a pyramid. They depend on max_bytes, but not on threads, so that machines with a common file system
/// agree. Errors: kOutOfMemory if max_bytes is too small for the smallest block; kInvalidArgument for too many blocks.
Result<std::vector<Pass>> plan_passes(const VolumeLayout& layout);

/// The number of blocks of a pass, of all volumes of the set.
uint32_t block_count(const VolumeLayout& layout, const Pass& pass);

Block block_at(const VolumeLayout& layout, const Pass& pass, uint32_t number);

/// The part of a level that a block makes, in voxels of that level. `level`: of the pass.
VolumeBox box_of_level(const VolumeLayout& layout, const Pass& pass, const Block& block, uint32_t level);

/// Options of the stream that makes the levels of a block, and the part of the pyramid that it makes.
VolumeOptions stream_options(const VolumeLayout& layout, const Pass& pass, const VolumeBox& box);
VolumePart stream_part(const VolumeLayout& layout, const Pass& pass);

/// Bytes of a number of a level between passes.
uint32_t unrounded_bytes(const VolumeLayout& layout, uint32_t level);

}  // namespace onepass::volumes
