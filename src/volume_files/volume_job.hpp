// volume_job.hpp: what make_volume() has checked and planned, and the runs that make it: the whole pyramid, a shard of
// it, or the merge of its shards.
//
//     OUT.unfinished/image        the output
//     OUT.unfinished/kept_3/7     unrounded level 3 of block 7 of the pass that ends there
//     OUT.unfinished/deconvolved_0  volume 0 of a deconvolution
//     OUT.unfinished/journal      blocks that are complete; without shards
//     OUT.unfinished/shards       with shards: the input, the options and their number, one field per line. Shards lock
//                                 it shared while they run, the merge alone
//     OUT.unfinished/shard_2/     the journal of shard 2, locked by its process
//     OUT.unfinished/merge/       the journal of the merge
#pragma once

#include <string>
#include <vector>

#include "volume_files/deconvolved_volumes.hpp"
#include "volume_files/volume_run.hpp"

namespace onepass::volumes {

struct VolumeJob {
  VolumeLayout layout;
  std::vector<Pass> passes;
  VolumeSource& source;
  tiles::WorkerPool& pool;
  VolumeFileReport report;                            ///< The part that is known before the run.
  std::unique_ptr<DeconvolvedVolumes> deconvolved{};  ///< Null: blocks are made of the source's voxels.

  /// All blocks of a pass.
  [[nodiscard]] BlockRange all(uint32_t pass) const { return {0, block_count(layout, passes[pass])}; }
};

/// The line that identifies a run in its journal. Blocks are part of it: max_bytes decides them.
std::string identity_of(const VolumeJob& job);

/// Makes passes `first` to `last` - 1. `base`: the blocks of pass 0. Errors: those of make_volume().
Result<void> make_passes(VolumeJob& job, VolumeRun& run, uint32_t first, uint32_t last, BlockRange base);

/// Writes the metadata and puts the output in place.
Result<void> finish_output(const VolumeJob& job);

/// Makes the blocks of a shard. Errors: those of make_volume().
Result<VolumeFileReport> make_volume_shard(VolumeJob& job);

/// Makes the levels above the blocks, and the finished output. Errors: those of make_volume().
Result<VolumeFileReport> make_volume_merge(VolumeJob& job);

}  // namespace onepass::volumes
