// make_volume.cpp: checks options and places, then makes the passes one after the other and puts the output in place.
#include <optional>
#include <span>

#include "files/writers.hpp"
#include "onepass/tiles.hpp"
#include "tiles/put_in_place.hpp"
#include "volume_files/volume_metadata.hpp"
#include "volume_files/volume_places.hpp"
#include "volume_files/volume_run.hpp"

namespace onepass::volumes {
namespace {

using tiles::text_of;

// The line that identifies a run in its journal. Blocks are part of it: max_bytes decides them.
std::string identity_of(const VolumeLayout& layout, const std::vector<Pass>& passes) {
  std::string line = kVolumeMethod;
  for (const auto& [field, value] : identity_fields(layout)) line += text_of(" ", field, "=", value);
  for (const Pass& pass : passes) line += text_of(" block=", axes_text(pass.block));
  return line;
}

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

// Makes all passes.
Result<void> make_passes(const VolumeLayout& layout, const std::vector<Pass>& passes, VolumeSource& source,
                         VolumeRun& run) {
  const auto all = [&](const Pass& pass) { return BlockRange{0, block_count(layout, pass)}; };
  for (uint32_t i = 0; i < passes.size(); ++i) {
    if (auto done = run.plan(i, all(passes[i])); !done) return done;
  }
  for (uint32_t i = 0; i < passes.size(); ++i) {
    std::optional<KeptReader> kept;
    if (i > 0) kept.emplace(layout, passes[i - 1]);
    const ReadBox read =
        i == 0 ? read_of(source)
               : [&](uint32_t volume, const VolumeBox& box, std::byte* out, size_t row_stride, size_t plane_stride) {
                   return kept->read(volume, box, out, row_stride, plane_stride);
                 };
    if (auto done = run.make(i, all(passes[i]), read); !done) return done;
  }
  run.end();
  return {};
}

Result<void> finish(const VolumeLayout& layout) {
  if (auto fine = check_volume_places(layout.options); !fine) return fine;  // somebody may have used them meanwhile
  if (auto done = write_metadata(layout); !done) return done;
  const tiles::Move move{layout.root, layout.options.output};
  return tiles::put_in_place(layout.work, std::span(&move, 1));
}

Result<VolumeLayout> layout_of(const VolumeFileOptions& options, const VolumeSource& source) {
  VolumeHeader header = source.header();
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

Result<VolumeFileReport> make_checked(const VolumeFileOptions& options) {
  if (auto fine = check_volume_options(options); !fine) return fine.error();
  if (auto fine = check_volume_inputs(options); !fine) return fine.error();
  bool placed = false;  // a process that ended between its renames may have left places that are refused below
  if (options.resume) {
    const auto moved = tiles::continue_moves(tiles::unfinished_path(options.output));
    if (!moved) return moved.error();
    placed = *moved;
  }
  if (!placed) {
    if (auto fine = check_volume_places(options); !fine) return fine.error();
  }
  tiles::WorkerPool pool(options.threads);
  auto source = open_volume(options.input, pool);
  if (!source) return source.error();
  auto layout = layout_of(options, **source);
  if (!layout) return layout.error();
  auto passes = plan_passes(*layout);
  if (!passes) return passes.error();
  VolumeFileReport report = report_of(*layout, *passes);
  report.was_complete = placed;
  if (placed) return report;
  const auto memory = check_run_memory(*layout, *passes, **source, pool.threads());
  if (!memory) return memory.error();
  report.planned_bytes = *memory;
  auto journal = tiles::Journal::open(layout->work, identity_of(*layout, *passes),
                                      options.resume ? tiles::Journal::Old::kResume : tiles::Journal::Old::kRefuse);
  if (!journal) return journal.error();
  VolumeRun run(*layout, *passes, pool, **journal);
  auto done = files::guarded(options.output, [&] { return make_passes(*layout, *passes, **source, run); });
  if (!done) (void)files::guarded(options.output, [&] { return run.flush(); });
  if (done) done = finish(*layout);
  if (!done) return leave(done.error(), *layout);
  report.progress = run.progress();
  return report;
}

}  // namespace

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
