// row_plan.cpp: splits the rows of tiles evenly at the level at which shards stop.
#include "tiles/row_plan.hpp"

#include <algorithm>

namespace onepass::tiles {
namespace {

constexpr uint32_t kLevelStep = 3;
// Rows of tiles per shard from which on a coarser level is chosen: shards then differ by at most a quarter.
constexpr uint64_t kRowsPerShard = 4;
// Rows of tiles that overlaps may cost at the upper and lower edge of a shard.
constexpr uint64_t kOverlapRows = 4;

// The number of rows of level n that the first `rows` rows of a level `n - steps` make.
uint32_t coarser(uint64_t rows, uint32_t steps) {
  return static_cast<uint32_t>((rows + (uint64_t{1} << steps) - 1) >> steps);
}

}  // namespace

RowPlan plan_whole(const std::vector<TileGrid>& grids) {
  RowPlan plan;
  plan.last_level = static_cast<uint32_t>(grids.size()) - 1;
  for (const TileGrid& grid : grids) {
    plan.tiles.push_back({0, grid.rows()});
    plan.texels.push_back({0, grid.size.height});
  }
  return plan;
}

uint32_t top_of_shards(const std::vector<TileGrid>& grids, uint32_t count) {
  const auto last = static_cast<uint32_t>(grids.size()) - 1;
  uint32_t top = std::min(last, kLevelStep);
  for (uint32_t level = 2 * kLevelStep; level <= last; level += kLevelStep) {
    const TileGrid& grid = grids[level];
    if (grid.rows() < kRowsPerShard * count) break;
    if (uint64_t{grid.overlap} << level > kOverlapRows * grid.tile_size) break;
    top = level;
  }
  return top;
}

RowPlan plan_shard(const std::vector<TileGrid>& grids, uint32_t index, uint32_t count) {
  RowPlan plan;
  plan.last_level = top_of_shards(grids, count);
  plan.tiles.resize(grids.size());
  plan.texels.resize(grids.size());
  const TileGrid& top = grids[plan.last_level];
  const auto share = [&](uint32_t i) { return static_cast<uint32_t>(uint64_t{top.rows()} * i / count); };
  const RowRange own{share(index), share(index + 1)};
  if (own.count() == 0) return plan;
  const auto first_texel = [&](uint32_t row) {
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{row} * top.tile_size, top.size.height));
  };
  if (plan.last_level + 1 < grids.size()) plan.kept = {first_texel(own.begin), first_texel(own.end)};
  const uint32_t begin = first_texel(own.begin) - (own.begin > 0 ? top.overlap : 0);
  const uint32_t end = std::min(first_texel(own.end) + top.overlap, top.size.height);
  const uint64_t base_begin = uint64_t{begin} << plan.last_level;
  const uint64_t base_end = std::min<uint64_t>(uint64_t{end} << plan.last_level, grids[0].size.height);
  for (uint32_t level = 0; level <= plan.last_level; ++level) {
    const uint32_t steps = plan.last_level - level;
    plan.texels[level] = {static_cast<uint32_t>(base_begin >> level), coarser(base_end, level)};
    const uint64_t rows = grids[level].rows();
    plan.tiles[level] = {static_cast<uint32_t>(std::min(uint64_t{own.begin} << steps, rows)),
                         static_cast<uint32_t>(std::min(uint64_t{own.end} << steps, rows))};
  }
  return plan;
}

RowPlan plan_merge(const std::vector<TileGrid>& grids, uint32_t count) {
  RowPlan plan = plan_whole(grids);
  plan.first_level = top_of_shards(grids, count);
  for (uint32_t level = 0; level <= plan.first_level; ++level) plan.tiles[level] = {};
  return plan;
}

TileOrder::TileOrder(const std::vector<TileGrid>& grids, const std::vector<RowRange>& tiles)
    : grids_(grids), rows_(tiles) {
  find();
}

void TileOrder::pop() {
  ++rows_[level_].begin;
  find();
}

void TileOrder::find() {
  level_ = static_cast<uint32_t>(rows_.size());
  uint64_t least = UINT64_MAX;
  for (uint32_t level = 0; level < rows_.size(); ++level) {
    if (rows_[level].count() == 0) continue;
    const Rect rect = grids_[level].tile(0, rows_[level].begin);
    const uint64_t end = std::min<uint64_t>((uint64_t{rect.y} + rect.height) << level, grids_[0].size.height);
    if (end >= least) continue;
    least = end;
    level_ = level;
  }
}

}  // namespace onepass::tiles
