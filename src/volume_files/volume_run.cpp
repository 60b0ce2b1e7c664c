// volume_run.cpp: blocks in order; the journal learns of them in groups, whose files are on disk then.
#include "volume_files/volume_run.hpp"

#include <cerrno>
#include <cstring>

#include "files/writers.hpp"
#include "tiles/output.hpp"
#include "tiles/system.hpp"
#include "volume_files/zarr_paths.hpp"

namespace onepass::volumes {
VolumeRun::VolumeRun(const VolumeLayout& layout, const std::vector<Pass>& passes, tiles::WorkerPool& pool,
                     tiles::Journal& journal)
    : layout_(layout), passes_(passes), pool_(pool), journal_(journal), writer_(layout, pool) {}

bool VolumeRun::is_complete(uint32_t pass, uint32_t number) const {
  return journal_.complete().contains({pass, number});
}

bool VolumeRun::has_work(uint32_t pass, BlockRange blocks) const {
  for (uint32_t number = blocks.begin; number < blocks.end; ++number) {
    if (!is_complete(pass, number)) return true;
  }
  return false;
}

Result<void> VolumeRun::report_deconvolved(double part, bool is_finished) {
  progress_.deconvolved = part;
  return report(is_finished);
}

Result<void> VolumeRun::plan(uint32_t pass, BlockRange blocks) {
  std::vector<uint32_t> recorded;
  for (uint32_t number = blocks.begin; number < blocks.end; ++number) {
    if (is_complete(pass, number)) recorded.push_back(number);
  }
  std::vector<char> intact(recorded.size());
  pool_.run(recorded.size(), [&](size_t i) {
    const Block block = block_at(layout_, passes_[pass], recorded[i]);
    intact[i] = files_text(layout_, passes_[pass], block) == journal_.complete().at({pass, recorded[i]}) ? 1 : 0;
  });
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (intact[i] == 0) journal_.forget(pass, recorded[i]);
    progress_.blocks_kept += intact[i];
  }
  for (uint32_t number = blocks.begin; number < blocks.end; ++number) {
    if (!is_complete(pass, number)) progress_.all_voxels += product(block_at(layout_, passes_[pass], number).box.size);
  }
  return {};
}

Result<void> VolumeRun::report(bool last) {
  const auto now = Clock::now();
  progress_.bytes_written = writer_.bytes_written() + kept_bytes_;
  progress_.seconds = std::chrono::duration<double>(now - start_).count();
  if (!layout_.options.progress || (!last && now - reported_ < tiles::kReportEvery)) return {};
  reported_ = now;
  if (layout_.options.progress(progress_)) return {};
  return files::file_error(layout_.options.output, ErrorCode::kCancelled,
                           layout_.options.shard.count > 0 ? "interrupted; run the shard again"
                           : layout_.options.merge > 0
                               ? "interrupted; run the merge again"
                               : "interrupted; " + layout_.work.string() + " can be continued with resume");
}

Result<void> VolumeRun::make(uint32_t pass, BlockRange blocks, const ReadBox& read) {
  BlockMaker maker(layout_, passes_[pass], pool_, writer_);
  const uint64_t kept_before = kept_bytes_;
  const auto advance = [&](uint64_t voxels) {
    progress_.voxels += voxels;
    return report(false);
  };
  const remote::PollScope polls(layout_.site, [this] { return report(false); });  // also while a server is waited for
  for (uint32_t number = blocks.begin; number < blocks.end; ++number) {
    if (is_complete(pass, number)) continue;
    const Block block = block_at(layout_, passes_[pass], number);
    const uint64_t before = writer_.bytes_written() + maker.kept_bytes();
    if (auto done = maker.make(block, read, advance); !done) return done;
    ++progress_.blocks;
    kept_bytes_ = kept_before + maker.kept_bytes();
    const uint64_t bytes = writer_.bytes_written() + maker.kept_bytes() - before;
    if (!journal_.add(pass, number, files_text(layout_, passes_[pass], block), bytes)) continue;
    if (auto done = flush(); !done) return done;
  }
  return flush();
}

Result<void> VolumeRun::flush() {
  return journal_.flush([&]() -> Result<void> {
    if (tiles::system::sync_file_system(layout_.work)) return {};
    return files::file_error(layout_.work, ErrorCode::kIo,
                             std::string("cannot write it to disk: ") + std::strerror(errno));
  });
}

void VolumeRun::end() { (void)report(true); }

}  // namespace onepass::volumes
