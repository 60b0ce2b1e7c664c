// reducer.hpp: rows of the base in, rows of all coarser levels out, with footprint ceil.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "onepass/image.hpp"
#include "onepass/reduction.hpp"
#include "tiles/pixel_layout.hpp"

namespace onepass::tiles {

struct ReducerOptions {
  Extent size;
  PixelLayout layout;
  bool srgb = false;
  Reduction reduction = Reduction::kMean;
  uint32_t levels = 1;  ///< With the base.
  uint32_t threads = 1;
};

class Reducer {
 public:
  /// Where the next row of a level is written, in the layout of the base; and the notice that it has been.
  struct Sink {
    std::function<std::byte*(uint32_t level)> next_row;
    std::function<void(uint32_t level)> row_done;
  };

  static Result<std::unique_ptr<Reducer>> create(const ReducerOptions& options, Sink sink);
  virtual ~Reducer() = default;

  /// The next `rows` rows of the base.
  virtual Result<void> push(const std::byte* rows, size_t stride, uint32_t count) = 0;
};

/// Sizes of the levels of a picture: ceil(size / 2^n).
Extent ceil_level_size(Extent base, uint32_t level);

}  // namespace onepass::tiles
