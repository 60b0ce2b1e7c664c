// row_nonfinite.hpp: NaN and Inf in a row of texels, counted and replaced. Counts are of texels, as
// onepass/nonfinite.hpp defines them; all targets find and write the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onepass/image.hpp"

namespace onepass::cpu {

/// What the rows of a band have. `x`, `channel` and `value` are of the first texel that was counted.
struct NonFiniteCounts {
  uint64_t nan = 0;
  uint64_t infinite = 0;
  size_t x = 0;  ///< In its row.
  uint32_t channel = 0;
  float value = 0.0F;
  [[nodiscard]] bool any() const { return nan + infinite != 0; }
};

/// Row functions of a format; null where there are no SIMD functions. `infinite`: Inf counts, and is replaced.
struct NonFiniteRows {
  /// Adds what a row has to `counts`, whose first texel is set if nothing was counted before. Reads nothing beyond it.
  void (*find)(const void* row, size_t texels, bool infinite, NonFiniteCounts& counts) = nullptr;
  /// The same, and replaces it.
  void (*replace)(void* row, size_t texels, bool infinite, NonFiniteCounts& counts) = nullptr;
};

/// The functions for a float format on the best SIMD target that is enabled.
NonFiniteRows find_nonfinite_rows(Format format);

/// The definition, texel by texel: what is left where there is no SIMD, and the search for the first texel.
void find_nonfinite_plain(Format format, const void* row, size_t texels, bool infinite, NonFiniteCounts& counts);
void replace_nonfinite_plain(Format format, void* row, size_t texels, bool infinite, NonFiniteCounts& counts);

}  // namespace onepass::cpu
