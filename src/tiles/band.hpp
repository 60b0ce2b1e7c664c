// band.hpp: rows of tiles of one level, collected while the rows of the level arrive.
//
//     tile_size = 4, overlap = 1, 10 rows:      band 0  rows 0..4      (to the first row of the next tile)
//                                               band 1  rows 3..8      (2 rows are shared with band 0)
//                                               band 2  rows 7..9
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "onepass/image.hpp"
#include "tiles/picture_header.hpp"

namespace onepass::tiles {

/// Rows [begin, end) of texels or of tiles.
struct RowRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  [[nodiscard]] uint32_t count() const { return end - begin; }
  [[nodiscard]] bool contains(uint32_t row) const { return row >= begin && row < end; }
};

/// Sizes of the tiles of one level.
struct TileGrid {
  Extent size;  ///< Of the level.
  uint32_t tile_size = 0;
  uint32_t overlap = 0;

  [[nodiscard]] uint32_t columns() const { return (size.width - 1) / tile_size + 1; }
  [[nodiscard]] uint32_t rows() const { return (size.height - 1) / tile_size + 1; }
  /// The texels of a tile, overlaps included, clipped to the level.
  [[nodiscard]] Rect tile(uint32_t column, uint32_t row) const;
};

/// Uninitialised memory for the bands of a level. A later band reuses the memory of an encoded one: the operating
/// system clears fresh memory, which costs as much as copying the band.
class BandMemory {
 public:
  explicit BandMemory(size_t bytes) : bytes_(bytes) {}

  struct Give {
    std::shared_ptr<BandMemory> memory;
    void operator()(std::byte* block) const { memory->give_back(block); }
  };
  using Block = std::unique_ptr<std::byte, Give>;

  /// May throw std::bad_alloc. The block may outlive all other owners of `memory`.
  static Block take(const std::shared_ptr<BandMemory>& memory);

 private:
  void give_back(std::byte* block);
  struct Free {
    void operator()(std::byte* block) const;
  };

  size_t bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::byte, Free>> unused_;
};

/// The rows of one row of tiles.
struct Band {
  uint32_t level = 0;
  uint32_t row = 0;      ///< Of tiles.
  uint32_t first_y = 0;  ///< Row of the level that is first in `pixels`.
  uint32_t rows = 0;
  size_t stride = 0;
  BandMemory::Block pixels;

  [[nodiscard]] size_t bytes() const { return stride * rows; }
  [[nodiscard]] std::byte* at(uint32_t y) const { return pixels.get() + (y - first_y) * stride; }
};
using BandPtr = std::shared_ptr<Band>;

/// Collects the bands of one level. Rows of texels that no tile needs stand before or behind the others in the first
/// and the last band.
class BandBuilder {
 public:
  /// Makes the rows `tiles` of tiles, at least one, of the rows `texels` of texels, which arrive in order.
  BandBuilder(uint32_t level, const TileGrid& grid, size_t pixel_bytes, RowRange tiles, RowRange texels);

  /// The rows that can be written now: `rows` of them from row `y` on.
  struct Space {
    std::byte* data = nullptr;
    size_t stride = 0;
    uint32_t rows = 0;
  };
  [[nodiscard]] Space space();

  /// The next row to be written.
  [[nodiscard]] uint32_t next_row() const { return y_; }

  /// `rows` rows of space() have been written. Returns the bands that are complete.
  std::vector<BandPtr> advance(uint32_t rows);

  /// Bytes of the largest band.
  [[nodiscard]] uint64_t band_bytes() const;

 private:
  BandPtr start(uint32_t row);

  uint32_t level_;
  TileGrid grid_;
  size_t pixel_bytes_;
  RowRange tiles_;
  RowRange texels_;
  uint32_t y_ = 0;
  std::shared_ptr<BandMemory> memory_;  // null before the first band
  BandPtr band_;
};

}  // namespace onepass::tiles
