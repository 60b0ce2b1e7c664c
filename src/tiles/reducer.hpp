// reducer.hpp: rows of the base in, rows of all coarser levels out, with footprint ceil. A pyramid can be made in
// parts: bands of rows up to some level, whose unrounded rows are kept, and the levels above it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "onepass/image.hpp"
#include "onepass/reduction.hpp"
#include "tiles/band.hpp"
#include "tiles/picture_header.hpp"

namespace onepass::tiles {

struct ReducerOptions {
  Extent size;
  PixelLayout layout;
  bool srgb = false;
  Reduction reduction = Reduction::kMean;
  uint32_t levels = 1;  ///< Of the whole pyramid, with the base.
  uint32_t threads = 1;
  uint32_t first_level = 0;        ///< Level of the rows of push(): 0, or a multiple
                                   ///< of 3 (unrounded rows).
  uint32_t last_level = 0;         ///< The coarsest level to make: levels - 1, or a multiple of 3.
  std::optional<double> nodata{};  ///< Stored value that stands for no value: it
                                   ///< takes part in nothing but kMode.
  RowRange rows;                   ///< Rows of first_level for push(), between multiples of
                                   ///< 2^(last - first) or up to the last row.
};

class Reducer {
 public:
  /// next_row: the address of a level's next row, in the layout of the base. row_done: the row is written.
  struct Sink {
    std::function<std::byte*(uint32_t level)> next_row;
    std::function<void(uint32_t level)> row_done;
    /// Receives the unrounded rows of last_level, if there are coarser levels. May be empty.
    std::function<Result<void>(std::span<const std::byte> row)> keep_row = {};
  };

  static Result<std::unique_ptr<Reducer>> create(const ReducerOptions& options, Sink sink);
  virtual ~Reducer() = default;

  /// Bytes of a row that push() takes if first_level is not 0.
  [[nodiscard]] virtual size_t unrounded_row_bytes() const = 0;

  /// The next `rows` rows of first_level. Unrounded rows are aligned as doubles.
  virtual Result<void> push(const std::byte* rows, size_t stride, uint32_t count) = 0;
};

/// Sizes of the levels of a picture: ceil(size / 2^n).
Extent ceil_level_size(Extent base, uint32_t level);

}  // namespace onepass::tiles
