// bins.hpp: the bins of the automatic histogram, 1/32 stop wide, exactly: a bin is the number of edges that are not
// above a luminance, so that however it is found, it is the same one.
//
// Vectors guess it: with m the mantissa, a parabola stays below 32 log2(m), by less than one bin. One comparison with
// the edge that comes next corrects the guess.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "onepass/luminance_params.h"

namespace onepass::luminance {

inline constexpr uint32_t kBinsAStop = 32;
static_assert(kBinsAStop == ONEPASS_LUMINANCE_FINE_PER_STOP);
inline constexpr uint32_t kBinBits = 5;  ///< Of the mantissa and exponent together, what is above these is the stop.

/// The first bin of 2^-32 if those of 2^-127 began with 0.
inline constexpr uint32_t kFirstBin = static_cast<uint32_t>(127 + ONEPASS_LUMINANCE_FINE_LOW) * kBinsAStop;

/// Where bins of a mantissa end.
alignas(64) inline constexpr std::array<float, kBinsAStop> kBinEnds = [] {
  constexpr uint32_t kBits[kBinsAStop] = {ONEPASS_LUMINANCE_BIN_ENDS};
  std::array<float, kBinsAStop> ends{};
  for (uint32_t i = 0; i < kBinsAStop; ++i) ends[i] = std::bit_cast<float>(kBits[i]);
  return ends;
}();

/// The guess, truncated, is (kGuess[2] m + kGuess[1]) m + kGuess[0]: the bin or the one before it, 0 to 31. Tested for
/// every mantissa.
inline constexpr float kGuess[3] = {-48.0F - 0x1p-8F, 56.0F, -8.0F};

/// The luminances that have a bin of their own; what is outside counts in the first or last.
inline constexpr float kFirstBinned = 0x1p-32F;
inline constexpr float kBeyondBinned = 0x1p+32F;
static_assert(ONEPASS_LUMINANCE_FINE_LOW == -32 && ONEPASS_LUMINANCE_FINE_BINS == 64 * kBinsAStop);

/// The bin of a luminance above 0.
inline uint32_t automatic_bin(float luminance) {
  if (luminance < kFirstBinned) return 0;
  if (luminance >= kBeyondBinned) return ONEPASS_LUMINANCE_FINE_BINS - 1;
  const uint32_t bits = std::bit_cast<uint32_t>(luminance);
  const float mantissa = std::bit_cast<float>((bits & 0x7FFFFFU) | 0x3F800000U);
  const auto end = std::upper_bound(std::begin(kBinEnds), std::end(kBinEnds), mantissa);
  return (bits >> 23) * kBinsAStop + static_cast<uint32_t>(end - std::begin(kBinEnds)) - kFirstBin;
}

}  // namespace onepass::luminance
