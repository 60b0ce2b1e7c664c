// make_volume.cpp: checks options and places, plans, then makes the passes one after the other and puts the output in
// place; or a shard, or a merge.
#include <optional>
#include <span>

#include "files/writers.hpp"
#include "onepass/tiles.hpp"
#include "tiles/file_io.hpp"
#include "tiles/output.hpp"
#include "tiles/put_in_place.hpp"
#include "volume_files/volume_job.hpp"
#include "volume_files/volume_metadata.hpp"
#include "volume_files/volume_places.hpp"
#include "volume_files/volume_viewer.hpp"

namespace onepass::volumes {
namespace {

using tiles::text_of;

// Memory besides that of a block: the source's, encoded chunks, the rows of threads.
Result<uint64_t> check_run_memory(const VolumeLayout& layout, const std::vector<Pass>& passes,
                                  const VolumeSource& source, uint32_t threads) {
  uint64_t most = 0;
  for (const Pass& pass : passes) most = std::max(most, pass.bytes);
  VolumeSize slab = block_at(layout, passes.front(), 0).box.size;
  slab.planes = std::min(slab.planes, layout.options.chunk.planes);
  const uint64_t needed = most + source.memory_bytes(slab) + ChunkWriter::memory_bytes(layout, threads);
  if (needed <= layout.options.max_bytes) return needed;
  return Error{
      ErrorCode::kOutOfMemory,
      text_of("blocks of ", axes_text(passes.front().block), " voxels need ", needed >> 20,
              " MiB with decoders and encoders, more than the limit of ", layout.options.max_bytes >> 20, " MiB"),
      source.name()};
}

VolumeFileReport report_of(const VolumeLayout& layout, const std::vector<Pass>& passes) {
  VolumeFileReport report{.output = layout.options.output};
  if (layout.options.viewer && layout.options.shard.count == 0) report.viewer = volume_viewer_path(layout.options);
  for (const LevelLayout& level : layout.levels) report.sizes.push_back(level.size);
  report.steps = layout.steps;
  report.type = layout.header.type;
  report.times = layout.header.set.times;
  report.channels = layout.header.set.channels;
  report.chunk = layout.options.chunk;
  report.shard_size = layout.options.shard_size;
  report.block = block_at(layout, passes.front(), 0).box.size;
  report.block_level = passes.front().last_level;
  return report;
}

Result<VolumeLayout> layout_of(const VolumeFileOptions& options, const VolumeSource& source) {
  VolumeHeader header = source.header();
  if (options.deconvolution) {
    header.block = {1, 1, 1};
    if (options.deconvolution->as_float) header.type = VoxelType::kFloat32;
  }
  if (options.input.voxel) {
    header.metadata.voxel = options.input.voxel;
    header.metadata.unit = "micrometer";
  }
  return plan_layout(options, header);
}

// Keeps the working directory after errors that a run can resume from, and if it is damaged itself.
Error leave(const Error& error, const VolumeLayout& layout) {
  const bool keep = error.code == ErrorCode::kIo || error.code == ErrorCode::kOutOfMemory ||
                    error.code == ErrorCode::kCancelled || error.context == layout.work.string();
  if (!keep) tiles::remove_directory(layout.work);
  return error;
}

// Completes the renames of a process that ended between two of them. True: the output is in its place.
Result<bool> continue_placing(const VolumeFileOptions& options) {
  if (!options.resume && options.merge == 0) return false;
  const std::filesystem::path work = tiles::unfinished_path(options.output);
  const auto moved = tiles::continue_moves(work);
  if (!moved || options.merge == 0) return moved;
  std::error_code none;
  const bool placed = *moved || (!std::filesystem::exists(work, none) && tiles::has_placed_leftovers(work));
  tiles::remove_leftovers(work);
  return placed;
}

Result<VolumeFileReport> make_whole(VolumeJob& job) {
  const VolumeLayout& layout = job.layout;
  const auto old = layout.options.resume ? tiles::Journal::Old::kResume : tiles::Journal::Old::kRefuse;
  auto journal = tiles::Journal::open(layout.work, identity_of(job), old);
  if (!journal) return journal.error();
  VolumeRun run(layout, job.passes, job.pool, **journal);
  auto done = make_passes(job, run, 0, static_cast<uint32_t>(job.passes.size()), job.all(0));
  if (done) done = finish_output(job);
  if (!done) return leave(done.error(), layout);
  job.report.progress = run.progress();
  return job.report;
}

// What messages, journals and outputs name is an address without password.
VolumeFileOptions with_shown_inputs(const VolumeFileOptions& options, const remote::SitePtr& site,
                                    const remote::SitePtr& kernel_site) {
  VolumeFileOptions out = options;
  if (site) out.input.path = site->name();
  if (kernel_site) out.deconvolution->kernel.path = kernel_site->name();
  return out;
}

// An input over HTTP ends with its run, also while it is opened.
void watch(const remote::SitePtr& site, const VolumeFileOptions& options) {
  if (!site) return;
  site->max_bytes = options.max_bytes;
  site->set_poll([&options]() -> Result<void> {
    if (!options.progress || options.progress({})) return {};
    return files::file_error(options.output, ErrorCode::kCancelled, "interrupted while the input was opened");
  });
}

// Reads the point spread function and plans the deconvolution of the source.
Result<void> plan_deconvolved(VolumeJob& job, const remote::SitePtr& kernel_site) {
  auto volumes = DeconvolvedVolumes::open(job.layout, job.source, job.pool, kernel_site);
  if (!volumes) return volumes.error();
  job.deconvolved = std::move(*volumes);
  job.layout.deconvolution = job.deconvolved->identity();
  job.report.deconvolution_tiles = job.deconvolved->tiles();
  const uint64_t blocks = job.report.planned_bytes + job.deconvolved->kernel_bytes();
  const uint64_t most = job.layout.options.max_bytes;
  if (blocks > most) {
    return Error{ErrorCode::kOutOfMemory,
                 text_of("blocks and the point spread function need ", blocks >> 20, " MiB, more than the limit of ",
                         most >> 20, " MiB"),
                 job.source.name()};
  }
  job.report.planned_bytes = std::max(blocks, job.deconvolved->memory_bytes());
  if (auto& warning = job.deconvolved->warning(); !warning.empty()) job.report.warnings.push_back(warning);
  return {};
}

Result<VolumeFileReport> make_checked(const VolumeFileOptions& original) {
  if (auto fine = check_volume_options(original); !fine) return fine.error();
  if (auto fine = check_volume_inputs(original); !fine) return fine.error();
  const auto site = remote::site_of(original.input.path.string());
  if (!site) return site.error();
  const auto kernel_site =
      remote::site_of(original.deconvolution ? original.deconvolution->kernel.path.string() : std::string());
  if (!kernel_site) return kernel_site.error();
  const VolumeFileOptions options = with_shown_inputs(original, *site, *kernel_site);
  watch(*site, options);
  watch(*kernel_site, options);
  const auto placed = continue_placing(options);
  if (!placed) return placed.error();
  if (!*placed) {  // else there may be places that are refused
    if (auto fine = check_volume_places(options); !fine) return fine.error();
  }
  tiles::WorkerPool pool(options.threads);
  auto source = open_volume(options.input, pool, *site);
  if (!source) return source.error();
  auto layout = layout_of(options, **source);
  if (!layout) return layout.error();
  layout->site = *site;
  auto passes = plan_passes(*layout);
  if (!passes) return passes.error();
  VolumeJob job{std::move(*layout), std::move(*passes), **source, pool, {}, {}};
  job.report = report_of(job.layout, job.passes);
  job.report.was_complete = *placed;
  if (*placed) return job.report;
  const auto memory = check_run_memory(job.layout, job.passes, **source, pool.threads());
  if (!memory) return memory.error();
  job.report.planned_bytes = *memory;
  if (options.deconvolution) {
    if (auto done = plan_deconvolved(job, *kernel_site); !done) return done.error();
  }
  if (options.shard.count > 0) return make_volume_shard(job);
  if (options.merge > 0) return make_volume_merge(job);
  return make_whole(job);
}

}  // namespace

std::string identity_of(const VolumeJob& job) {
  std::string line = kVolumeMethod;
  for (const auto& [field, value] : identity_fields(job.layout)) line += text_of(" ", field, "=", value);
  for (const Pass& pass : job.passes) line += text_of(" block=", axes_text(pass.block));
  return line;
}

namespace {

// Makes the blocks of the base, volume by volume, each after its deconvolution.
Result<void> make_deconvolved(VolumeJob& job, VolumeRun& run) {
  const auto per_volume = static_cast<uint32_t>(product(job.passes[0].counts));
  const auto blocks_of = [&](uint32_t volume) { return BlockRange{volume * per_volume, (volume + 1) * per_volume}; };
  std::vector<uint32_t> volumes;
  for (uint32_t volume = 0; volume < job.layout.header.set.count(); ++volume) {
    if (run.has_work(0, blocks_of(volume))) {
      volumes.push_back(volume);
    } else {
      job.deconvolved->remove(volume);  // of a run that ended just before this
    }
  }
  const auto count = static_cast<double>(volumes.size());
  for (size_t i = 0; i < volumes.size(); ++i) {
    const auto report = [&](double part) {
      return run.report_deconvolved((static_cast<double>(i) + part) / count, part == 1);
    };
    if (auto done = job.deconvolved->make(volumes[i], report); !done) return done;
    if (auto done = run.make(0, blocks_of(volumes[i]), read_of(*job.deconvolved)); !done) return done;
    job.deconvolved->remove(volumes[i]);
  }
  return {};
}

}  // namespace

Result<void> make_passes(VolumeJob& job, VolumeRun& run, uint32_t first, uint32_t last, BlockRange base) {
  const auto blocks = [&](uint32_t pass) { return pass == 0 ? base : job.all(pass); };
  const auto make = [&]() -> Result<void> {
    for (uint32_t pass = first; pass < last; ++pass) {
      if (auto done = run.plan(pass, blocks(pass)); !done) return done;
    }
    for (uint32_t pass = first; pass < last; ++pass) {
      if (pass == 0 && job.deconvolved) {
        if (auto done = make_deconvolved(job, run); !done) return done;
        continue;
      }
      std::optional<KeptReader> kept;
      if (pass > 0) kept.emplace(job.layout, job.passes[pass - 1]);
      if (auto done = run.make(pass, blocks(pass), pass == 0 ? read_of(job.source) : read_of(*kept)); !done)
        return done;
    }
    return {};
  };
  auto done = files::guarded(job.layout.options.output, make);
  // What a run that resumes will find is recorded before the run ends.
  if (!done) (void)files::guarded(job.layout.options.output, [&] { return run.flush(); });
  if (done) run.end();
  return done;
}

Result<void> finish_output(const VolumeJob& job) {
  const VolumeLayout& layout = job.layout;
  if (auto fine = check_volume_places(layout.options); !fine) return fine;  // somebody may have used them meanwhile
  if (auto done = write_metadata(layout); !done) return done;
  std::vector<tiles::Move> moves{{layout.root, layout.options.output}};
  if (layout.options.viewer) {
    const std::filesystem::path page = layout.work / "viewer";
    if (auto done = tiles::write_file(page, tiles::bytes_of(volume_viewer_page(layout.options))); !done) return done;
    moves.push_back({page, volume_viewer_path(layout.options)});
  }
  return tiles::put_in_place(layout.work, moves);
}

Result<VolumeFileReport> make_volume(const VolumeFileOptions& options) {
  try {
    return make_checked(options);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory", options.output.string()};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kIo, exception.what(), options.output.string()};
  }
}

}  // namespace onepass::volumes
