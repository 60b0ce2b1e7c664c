// make_tiles.cpp: checks options and places, then runs: the whole pyramid, a shard of it or the merge of its shards.
#include <algorithm>
#include <optional>

#include "files/writers.hpp"
#include "tiles/check_places.hpp"
#include "tiles/journal.hpp"
#include "tiles/make_shards.hpp"
#include "tiles/output.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/row_source.hpp"
#include "tiles/run.hpp"
#include "tiles/text.hpp"
#include "tiles/tile_options.hpp"
#include "tiles/whole_output.hpp"

namespace onepass::tiles {
namespace {

// Keeps the working directory after kIo, kOutOfMemory and kCancelled, which a run can resume, and if the directory is
// damaged itself. Removes it after other errors.
Error leave(const Error& error, const OutputPlan& plan) {
  const bool keep = error.code == ErrorCode::kIo || error.code == ErrorCode::kOutOfMemory ||
                    error.code == ErrorCode::kCancelled || error.context == plan.work.string();
  if (!keep) remove_directory(plan.work);
  return error;
}

// The report of a run that only completed the renames of an earlier one: no tiles, no encoding.
TileReport report_of_placed(const OutputPlan& plan) {
  TileReport report = report_of(plan);
  if (output_type(plan.options.output) == OutputType::kDeepZoom) {
    report.outputs.push_back(tiles_directory(plan.options));
    if (plan.options.viewer) report.outputs.push_back(viewer_path(plan.options));
  }
  return report;
}

// What messages, journals and outputs name is an address without password.
TileOptions with_shown_input(const TileOptions& options, const remote::SitePtr& site) {
  TileOptions out = options;
  if (site) out.input.path = site->name();
  return out;
}

// An input over HTTP ends with its run, also while it is opened.
void watch(const remote::SitePtr& site, const TileOptions& options) {
  if (!site) return;
  site->max_bytes = options.input.max_bytes;
  site->set_poll([&options]() -> Result<void> {
    if (!options.progress || options.progress({})) return {};
    return files::file_error(options.output, ErrorCode::kCancelled, "interrupted while the input was opened");
  });
}

Result<TileReport> make_checked(const TileOptions& original) {
  if (auto fine = check_options(original); !fine) return fine.error();
  if (auto fine = check_inputs(original); !fine) return fine.error();
  const auto site = remote::site_of(original.input.path.string());
  if (!site) return site.error();
  const TileOptions options = with_shown_input(original, *site);
  watch(*site, options);
  // A process that ended between its renames may have left places that check_places() refuses.
  bool placed = false;
  if (options.resume || options.merge > 0) {
    const auto moved = continue_moves(unfinished_path(options.output));
    if (!moved) return moved.error();
    placed = *moved;
  }
  if (options.merge > 0) {
    const std::filesystem::path work = unfinished_path(options.output);
    std::error_code none;
    placed = placed || (!std::filesystem::exists(work, none) && has_placed_leftovers(work));
    remove_leftovers(work);
  }
  if (!placed) {
    if (auto fine = check_places(options); !fine) return fine.error();
  }
  WorkerPool pool(options.threads);
  // Labels have no encoding.
  auto source = open_source(options.input, pool,
                            options.reduction == Reduction::kMode ? files::Color::kLinear : options.color, *site);
  if (!source) return source.error();
  auto plan = plan_output(options, **source);
  if (!plan) return plan.error();
  plan->threads = pool.threads();
  plan->site = *site;
  const OutputType type = output_type(options.output);
  if (type == OutputType::kKtx2 || type == OutputType::kExr) return make_whole(*plan, **source);
  if (placed) return report_of_placed(*plan);
  if (options.shard.count > 0) return make_shard(*plan, **source, pool);
  if (options.merge > 0) return make_merge(*plan, **source, pool);
  plan->rows = plan_whole(plan->grids);
  if (auto fits = check_run_memory(*plan, **source); !fits) return fits.error();
  auto journal =
      Journal::open(plan->work, identity_of(*plan), options.resume ? Journal::Old::kResume : Journal::Old::kRefuse);
  if (!journal) return journal.error();
  auto output = make_output(*plan);
  if (!output) return leave(output.error(), *plan);
  TileReport report = report_of(*plan);
  report.encoding = (*output)->encoding_name();
  // What a run that resumes will find is recorded before the run ends.
  const auto stop = [&](const Error& error) {
    (void)files::guarded(options.output, [&] { return (*journal)->flush([&] { return (*output)->sync(); }); });
    return leave(error, *plan);
  };
  std::optional<Error> failure;
  {
    Run run(*plan, pool, **output, journal->get());
    const auto done = files::guarded(options.output, [&] { return run.from_base(**source, {}); });
    if (!done) failure = done.error();
    report.progress = run.progress();
  }  // no task writes to the working directory any more
  if (failure) return stop(*failure);
  if (auto fine = check_places(options); !fine) return stop(fine.error());  // somebody may have used them meanwhile
  auto made = (*output)->finish();
  if (!made) return stop(made.error());
  report.outputs = std::move(*made);
  return report;
}

}  // namespace

TileReport report_of(const OutputPlan& plan) {
  TileReport report;
  for (const TileGrid& grid : plan.grids) report.sizes.push_back(grid.size);
  report.channels = plan.header.layout.channels;
  report.sample = sample_name(plan.header.layout.sample);
  report.srgb = plan.srgb;
  report.tile_size = plan.options.tile_size;
  report.outputs = {plan.options.output};
  report.warnings = plan.header.warnings;
  if (plan.header.layout.has_alpha() && plan.options.tile_format == TileFormat::kJpeg) {
    report.warnings.emplace_back("JPEG tiles hold no alpha: colours are over black; choose png or webp to keep it");
  }
  if (plan.header.layout.alpha == AlphaAssociation::kPremultiplied &&
      output_type(plan.options.output) == OutputType::kZarr) {
    report.warnings.emplace_back("OME-Zarr cannot state that colours are premultiplied, as they are here");
  }
  return report;
}

Result<void> check_run_memory(const OutputPlan& plan, const RowSource& source) {
  uint64_t needed = source.memory_bytes();
  bool finest = true;  // the first level that is made: two of its bands wait for encoders while another one fills
  for (uint32_t level = 0; level < plan.grids.size(); ++level) {
    const RowRange tiles = plan.rows.tiles[level];
    if (tiles.count() == 0) continue;
    const BandBuilder builder(level, plan.grids[level], plan.header.layout.pixel_bytes(), tiles,
                              plan.rows.texels[level]);
    needed += builder.band_bytes() * (finest ? 3 : 2);
    finest = false;
  }
  // Rows and scratch memory of the reducer.
  needed +=
      uint64_t{plan.grids[0].size.width} * plan.header.layout.pixel_bytes() * 150 + (uint64_t{plan.threads} << 22);
  const uint64_t most = plan.options.input.max_bytes;
  if (needed <= most) return {};
  return Error{ErrorCode::kOutOfMemory,
               text_of("rows of tiles of ", plan.options.tile_size, " texels need ", needed >> 20,
                       " MiB, more than the limit of ", most >> 20, " MiB; smaller tiles need less"),
               source.name()};
}

Result<TileReport> make_tiles(const TileOptions& options) {
  try {
    return make_checked(options);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory", options.output.string()};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kIo, exception.what(), options.output.string()};
  }
}

}  // namespace onepass::tiles
