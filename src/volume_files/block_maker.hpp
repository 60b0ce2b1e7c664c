// block_maker.hpp: makes the levels of one block after the other.
//
//     slab of the first level  ->  VolumeStream  ->  planes of each level, collected in a slab one chunk deep
//              |                                                  |
//              v                                                  v
//        chunks of level 0                        chunks of levels 1, 2, ... ; unrounded planes of the last one
#pragma once

#include <functional>
#include <vector>

#include "volume_files/block_plan.hpp"
#include "volume_files/chunk_writer.hpp"
#include "volume_files/kept_level.hpp"

namespace onepass::volumes {

/// Reads a box of the first level of a pass: VolumeSource::read() or KeptReader::read().
using ReadBox = std::function<Result<void>(uint32_t volume, const VolumeBox& box, std::byte* out, size_t row_stride,
                                           size_t plane_stride)>;

/// Called after each slab with the number of its voxels; an error ends the block.
using Advance = std::function<Result<void>(uint64_t voxels)>;

class BlockMaker {
 public:
  /// The references outlive the object.
  BlockMaker(const VolumeLayout& layout, const Pass& pass, tiles::WorkerPool& pool, ChunkWriter& writer);

  /// Makes all files of a block. Errors: those of `read`, `advance` and the writer. May throw std::exception.
  Result<void> make(const Block& block, const ReadBox& read, const Advance& advance);

  [[nodiscard]] uint64_t kept_bytes() const { return kept_bytes_; }

 private:
  /// Planes of a level that wait until they fill a row of chunks.
  struct Planes {
    VolumeBox box;  ///< The block's, in voxels of the level.
    size_t row_bytes = 0;
    tiles::Bytes data;
    [[nodiscard]] size_t plane_bytes() const { return row_bytes * box.size.height; }
  };

  void prepare(const Block& block);
  Result<void> take(const Block& block, const cpu::VolumePlane& plane);
  Result<void> write(const Block& block, uint32_t level, uint32_t z, uint32_t planes);
  Result<void> reduce(const Block& block, const ReadBox& read, const Advance& advance,
                      const std::function<Result<void>(const Planes&, uint32_t)>& push);

  const VolumeLayout& layout_;
  const Pass pass_;
  tiles::WorkerPool& pool_;
  ChunkWriter& writer_;
  std::vector<Planes> planes_;  ///< By level, from the first one of the pass.
  KeptWriter kept_;
  uint64_t kept_bytes_ = 0;
};

}  // namespace onepass::volumes
