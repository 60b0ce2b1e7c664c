// finish.hpp: computes a MeterResult from the sums over an image: CPU version of luminance_finish.glsl.
#pragma once

#include <cstdint>
#include <span>

#include "luminance/settings.hpp"

namespace onepass::luminance {

/// Sums over all pixels of a slice.
struct MeterTotals {
  double red = 0, green = 0, blue = 0;  ///< Of weighted colours.
  double luminance = 0;                 ///< Weighted.
  double log2_fraction = 0;             ///< Weighted log2 of delta + luminance: the fractions,
  int64_t log2_whole = 0;               ///< and the integer parts.
  uint64_t weight = 0;
  uint64_t zero_weight = 0;
  uint64_t finite = 0, nan = 0, infinite = 0, negative = 0, zero = 0;  ///< Numbers of pixels.
  float min = 0, max = 0;                                              ///< Valid if finite > 0.
};

/// Fills `result` from the sums and the counted histogram, and updates its state of adaptation.
void finish_meter(const MeterOptions& options, const LuminanceParams& params, const MeterTotals& totals,
                  std::span<const uint64_t> histogram, MeterResult& result);

}  // namespace onepass::luminance
