// row_mip_filter.hpp: row functions of filtered levels: weighted sums of rows and of columns, ranges of their taps. All
// SIMD targets give the same bits: the same additions and multiplications in the same order, none fused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pyramid/halving_axis.hpp"

namespace onepass::cpu {

/// The functions for T, float or double, on the best enabled SIMD target. Counts are in elements unless they are called
/// texels. Functions of rows process whole vectors: rows have image::kRowPadding elements beyond their end. NaN among
/// the taps of a texel makes it NaN, also where it is limited to a range.
template <typename T>
struct FilterFunctions {
  /// out = sum of weights[k] * rows[k], in this order; with `add` the sum continues that of `out`.
  void (*weigh_rows)(const T* const* rows, const T* weights, uint32_t taps, size_t count, bool add, T* out) = nullptr;

  /// The least and the largest value of each element in `taps` rows; with `add` also of `low` and `high`.
  void (*find_range)(const T* const* rows, uint32_t taps, size_t count, bool add, T* low, T* high) = nullptr;

  /// Limits values to the range [low, high].
  void (*limit)(const T* low, const T* high, size_t count, T* values) = nullptr;

  /// Makes the `texels` texels of a row of a level from `row`, which has axis.margin() texels before texel 0 and after
  /// its last one. The weights of `axis` are repeated for each of the 1, 2 or 4 channels. The products of a texel are
  /// added in four partial sums, by the index of the element modulo 4, then these.
  void (*weigh_columns)(const FilterAxis<T>& axis, const T* row, uint32_t channels, uint32_t texels, T* out) = nullptr;

  /// The same for an axis that is about halved, from the even and the odd texels of the row, its margins included. The
  /// products of a texel are added in the order of its taps.
  void (*weigh_halves)(const HalvingAxis<T>& axis, const T* even, const T* odd, uint32_t channels, T* out) = nullptr;
};

template <typename T>
FilterFunctions<T> find_filter_functions();

}  // namespace onepass::cpu
