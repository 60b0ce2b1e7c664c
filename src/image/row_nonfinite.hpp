// row_nonfinite.hpp: functions that count and replace NaN and Inf in a row of texels. They count texels, as defined in
// onepass/nonfinite.hpp. All SIMD targets give the same results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onepass/image.hpp"

namespace onepass::image {

/// Counts for the rows of a band. `x`, `channel` and `value` describe the first counted texel.
struct NonFiniteCounts {
  uint64_t nan = 0;
  uint64_t infinite = 0;
  size_t x = 0;  ///< Column in its row.
  uint32_t channel = 0;
  float value = 0.0F;
  [[nodiscard]] bool any() const { return nan + infinite != 0; }
};

/// Row functions of a format; null if it has no SIMD functions. `infinite`: Inf is counted and replaced, too.
struct NonFiniteRows {
  /// Adds the texels of a row to `counts`, and sets its first texel if the counts were 0. Reads nothing beyond the row.
  void (*find)(const void* row, size_t texels, bool infinite, NonFiniteCounts& counts) = nullptr;
  /// The same, and replaces these values.
  void (*replace)(void* row, size_t texels, bool infinite, NonFiniteCounts& counts) = nullptr;
};

/// The functions for a float format on the best SIMD target that is enabled.
NonFiniteRows find_nonfinite_rows(Format format);

/// Scalar reference, texel by texel: used without SIMD, and for the first texel in a block.
void find_nonfinite_scalar(Format format, const void* row, size_t texels, bool infinite, NonFiniteCounts& counts);
void replace_nonfinite_scalar(Format format, void* row, size_t texels, bool infinite, NonFiniteCounts& counts);

}  // namespace onepass::image
