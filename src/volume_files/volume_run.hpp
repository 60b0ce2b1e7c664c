// volume_run.hpp: makes the blocks of a pass that are not complete yet, and records them.
#pragma once

#include <chrono>
#include <optional>

#include "tiles/journal.hpp"
#include "tiles/worker_pool.hpp"
#include "volume_files/block_maker.hpp"

namespace onepass::volumes {

/// A range of blocks, [begin, end).
struct BlockRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

class VolumeRun {
 public:
  /// The references outlive the object. Passes are rows of the journal by their number, blocks by theirs.
  VolumeRun(const VolumeLayout& layout, const std::vector<Pass>& passes, tiles::WorkerPool& pool,
            tiles::Journal& journal);

  /// States which blocks this run is to make, for its progress, and finds those of an interrupted run that have all
  /// their files. Call it for each pass before the first make().
  Result<void> plan(uint32_t pass, BlockRange blocks);

  /// Whether a block of the range is not complete.
  [[nodiscard]] bool has_work(uint32_t pass, BlockRange blocks) const;

  /// Reports the part of the deconvolutions that is done, now if a volume is finished, else if it is time. Errors:
  /// kCancelled. Threads: any, one call at a time.
  Result<void> report_deconvolved(double part, bool is_finished);

  /// Makes the blocks of a pass. Errors: those of make_volume(). May throw std::exception.
  Result<void> make(uint32_t pass, BlockRange blocks, const ReadBox& read);

  /// Records what is complete: at the end, and after an error, for a run that resumes.
  Result<void> flush();

  /// Reports the last state.
  void end();

  [[nodiscard]] const VolumeProgress& progress() const { return progress_; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_complete(uint32_t pass, uint32_t number) const;
  Result<void> report(bool last);

  const VolumeLayout& layout_;
  const std::vector<Pass>& passes_;
  tiles::WorkerPool& pool_;
  tiles::Journal& journal_;
  ChunkWriter writer_;
  VolumeProgress progress_;
  uint64_t kept_bytes_ = 0;  ///< Of unrounded levels.
  Clock::time_point start_ = Clock::now();
  Clock::time_point reported_ = start_ - std::chrono::hours(1);
};

/// Reads boxes of a VolumeSource or of a KeptReader, which must outlive the result.
template <typename Source>
ReadBox read_of(Source& source) {
  return [&source](uint32_t volume, const VolumeBox& box, std::byte* out, size_t row_stride, size_t plane_stride) {
    return source.read(volume, box, out, row_stride, plane_stride);
  };
}

}  // namespace onepass::volumes
