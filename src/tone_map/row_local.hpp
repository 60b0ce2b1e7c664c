// row_local.hpp: row functions of local exposure: they add texels to the grid, and interpolate it. Factors of texels
// are computed by the row functions of row_tone.hpp. Each is compiled once per SIMD target; all compute the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tone_map/local_exposure.hpp"

namespace onepass::tone_map {

/// The parameters of a row's factors.
struct LocalScale {
  LocalParams params;
  const float* nodes = nullptr;  ///< From LocalRowFunctions::interpolate().
  int32_t exposure_whole = 0;    ///< The sum of the two is log2(exposure / grey).
  float exposure_part = 0;
};

/// Sets exposure_whole and exposure_part for an exposure above 0.
void set_exposure(float exposure, LocalScale& scale);

/// LocalSums of at most kMostTexels texels, packed in one word per node, so that a texel costs one addition.
struct LocalTally {
  static constexpr uint32_t kMostTexels = 256;
  static constexpr uint32_t kAboveShift = 27;  ///< LocalSums::between is in the bits below: at most 2^18 of a texel.
  static constexpr uint32_t kTexelShift = 55;  ///< LocalSums::above is in the bits below: less than 2^20 of a texel.
  static_assert(ONEPASS_LOCAL_ONE == 1 << 20 && kMostTexels == 1 << 8);

  /// Copies, because adjacent texels often have the same node, and an addition waits for the one before to its word.
  static constexpr size_t kCopies = 8;
  alignas(64) std::array<uint64_t, kCopies * kLocalStride> words{};  ///< One copy after the other.
};

/// Rows of floats must be readable kTexelPadding texels beyond their end.
struct LocalRowFunctions {
  /// Adds at most LocalTally::kMostTexels texels of one region: of `rgba`, or of RGBA `halves` if not null, beyond
  /// which nothing is read. A texel with a channel that is not finite adds nothing.
  void (*add)(const uint16_t* halves, const float* rgba, size_t texels, LocalTally& tally);
  /// Moves a tally to the sums of its region.
  void (*move)(LocalTally& tally, LocalSums& sums);
  /// Interpolates between two rows of regions: to[i] = a[i] + (b[i] - a[i]) * share, for whole columns of nodes.
  void (*interpolate)(const float* a, const float* b, float share, size_t count, float* to);
};

/// The functions of the best SIMD target that is enabled; `halves`: the source is halves, not floats.
LocalRowFunctions find_local_rows(bool halves);

}  // namespace onepass::tone_map
