// row_plan.hpp: the rows that a run makes: all of them, those of a shard, or the coarse levels that a merge adds.
//
//     level 0   | shard 0          | shard 1          | shard 2     |     each: whole rows of tiles of `top`, and the
//     ...       |                  |                  |             |     finer levels of the same part of the picture
//     top       | tiles 0-1 | rows | tiles 2-3 | rows | tile 4 rows |  -> unrounded rows of the level `top`
//     coarser   | the merge, from these rows                        |
//
// `top` is a multiple of 3 (StreamPart), large enough to leave the merge little to do and small enough to give every
// shard as many rows as the others. Where tiles overlap, a shard also reads the rows above and below its own that they
// need; the reduction begins at a multiple of 2^top rows.
#pragma once

#include <cstdint>
#include <vector>

#include "tiles/band.hpp"

namespace onepass::tiles {

struct RowPlan {
  uint32_t first_level = 0;      ///< Level of the rows that are read: the base, or in a merge `top`.
  uint32_t last_level = 0;       ///< The coarsest level that the reduction makes.
  std::vector<RowRange> tiles;   ///< Rows of tiles to make, by level. Empty: none.
  std::vector<RowRange> texels;  ///< Rows of texels that are read or reduced for them, by level.
  RowRange kept;                 ///< Rows of last_level that a shard keeps unrounded. Empty: none.

  [[nodiscard]] bool is_empty() const { return texels[first_level].count() == 0; }
};

/// All rows.
RowPlan plan_whole(const std::vector<TileGrid>& grids);

/// The coarsest level that shards make: a multiple of 3, or the last one.
uint32_t top_of_shards(const std::vector<TileGrid>& grids, uint32_t count);

/// The rows of shard `index` of `count`. A shard of a low picture may have none.
RowPlan plan_shard(const std::vector<TileGrid>& grids, uint32_t index, uint32_t count);

/// The rows that the merge of `count` shards makes.
RowPlan plan_merge(const std::vector<TileGrid>& grids, uint32_t count);

/// The order in which rows of tiles stand in a single file: by the row of the base that completes them, finer levels
/// first.
class TileOrder {
 public:
  TileOrder(const std::vector<TileGrid>& grids, const std::vector<RowRange>& tiles);

  struct Place {
    uint32_t level = 0;
    uint32_t row = 0;
    auto operator<=>(const Place&) const = default;
  };
  [[nodiscard]] bool is_empty() const { return level_ == rows_.size(); }
  [[nodiscard]] Place front() const { return {level_, rows_[level_].begin}; }
  void pop();

 private:
  void find();

  const std::vector<TileGrid>& grids_;
  std::vector<RowRange> rows_;  ///< The rest, by level.
  uint32_t level_ = 0;          ///< Of the front.
};

}  // namespace onepass::tiles
