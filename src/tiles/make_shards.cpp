// make_shards.cpp: a shard ends with the unrounded rows of its coarsest level; the merge reduces these.
#include "tiles/make_shards.hpp"

#include <algorithm>
#include <optional>

#include "files/writers.hpp"
#include "tiles/check_places.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/run.hpp"
#include "tiles/shard_files.hpp"

namespace onepass::tiles {
namespace {

TileTraffic traffic_of(const OutputPlan& plan) {
  TileTraffic traffic;
  traffic.kept_level = plan.role == Role::kMerge ? plan.rows.first_level : plan.rows.last_level;
  if (plan.role == Role::kMerge || plan.rows.is_empty()) return traffic;
  const TileGrid& base = plan.grids[0];
  const RowRange tiles = plan.rows.tiles[0];
  traffic.first_row = tiles.begin * base.tile_size;
  traffic.rows = std::min(tiles.end * base.tile_size, base.size.height) - traffic.first_row;
  return traffic;
}

}  // namespace

Result<TileReport> make_shard(OutputPlan plan, RowSource& source, WorkerPool& pool) {
  const TileShard shard = plan.options.shard;
  plan.role = Role::kShard;
  plan.rows = plan_shard(plan.grids, shard.index, shard.count);
  if (auto fits = check_run_memory(plan, source); !fits) return fits.error();
  auto writer = ShardWriter::open(plan);
  if (!writer) return writer.error();
  plan.part = (*writer)->path();
  TileReport report = report_of(plan);
  report.outputs = {plan.part};
  report.traffic = traffic_of(plan);
  report.traffic.was_complete = (*writer)->was_complete();
  if (report.traffic.was_complete) return report;
  auto output = make_output(plan);
  if (!output) return output.error();
  report.encoding = (*output)->encoding_name();
  std::optional<Error> failure;
  {
    Run run(plan, pool, **output, &(*writer)->journal());
    const auto keep = [&](std::span<const std::byte> row) { return (*writer)->keep(row); };
    if (auto done = run.from_base(source, keep); !done) failure = done.error();
    report.progress = run.progress();
  }  // no task writes any more
  output->reset();
  if (!failure) {
    if (auto done = (*writer)->finish(); !done) failure = done.error();
  }
  if (failure) {
    if (failure->code == ErrorCode::kBadData) remove_directory(plan.part);  // another run would not end better
    return *failure;
  }
  const RowRange read = plan.rows.texels[0];
  report.traffic.rows_read = read.count();
  report.traffic.rows_skipped = read.begin;
  report.traffic.base_bytes = report.progress.rows * source.row_bytes();
  report.traffic.kept_bytes = (*writer)->kept_bytes();
  return report;
}

Result<TileReport> make_merge(OutputPlan plan, RowSource& source, WorkerPool& pool) {
  plan.role = Role::kMerge;
  plan.rows = plan_merge(plan.grids, plan.options.merge);
  if (auto fits = check_run_memory(plan, source); !fits) return fits.error();
  auto reader = ShardReader::open(plan);
  if (!reader) return reader.error();
  auto output = make_output(plan);
  if (!output) return output.error();
  if (auto fine = (*reader)->check_tiles(**output, pool); !fine) return fine.error();
  TileReport report = report_of(plan);
  report.encoding = (*output)->encoding_name();
  report.traffic = traffic_of(plan);
  {
    Run run(plan, pool, **output, nullptr);
    const auto read_row = [&](std::span<std::byte> row) {
      report.traffic.kept_bytes += row.size();
      return (*reader)->read_row(row);
    };
    const auto join = [&](TileOrder::Place place) -> Result<void> {
      const auto entry = (*reader)->entry(place);
      if (!entry) return entry.error();
      const auto bytes = (*output)->join(place.level, place.row, entry->path, entry->text);
      if (!bytes) return bytes.error();
      report.traffic.joined_bytes += *bytes;
      return {};
    };
    if (auto done = run.from_kept(read_row, join); !done) return done.error();
    report.progress = run.progress();
  }
  if (auto fine = check_places(plan.options); !fine) return fine.error();  // somebody may have used them meanwhile
  auto made = (*output)->finish();
  if (!made) return made.error();
  report.outputs = std::move(*made);
  return report;
}

}  // namespace onepass::tiles
