// bins.hpp: the bins of the automatic histogram, each 1/32 stop wide. A bin's number is the number of edges that are
// not above the luminance. This definition is exact: every way to find the bin gives the same one.
//
// SIMD code finds it without a logarithm: a parabola of the mantissa m lies below 32 log2(m), by less than one bin. One
// comparison with the next edge corrects this guess.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "luminance/params.hpp"

namespace onepass::luminance {

inline constexpr uint32_t kBinsPerStop = 32;
static_assert(kBinsPerStop == ONEPASS_LUMINANCE_FINE_PER_STOP);
inline constexpr uint32_t kBinBits = 5;  ///< Lower bits of a bin's number: the bin within its stop.

/// The number of the bin that begins at 2^-32, if the bin that begins at 2^-127 had the number 0.
inline constexpr uint32_t kFirstBin = static_cast<uint32_t>(127 + ONEPASS_LUMINANCE_FINE_LOW) * kBinsPerStop;

/// Upper edges of the bins of a mantissa in [1, 2).
alignas(64) inline constexpr std::array<float, kBinsPerStop> kBinEnds = [] {
  constexpr uint32_t kBits[kBinsPerStop] = {ONEPASS_LUMINANCE_BIN_ENDS};
  std::array<float, kBinsPerStop> ends{};
  for (uint32_t i = 0; i < kBinsPerStop; ++i) ends[i] = std::bit_cast<float>(kBits[i]);
  return ends;
}();

/// (kGuess[2] m + kGuess[1]) m + kGuess[0], truncated, is the bin or the one before it, 0 to 31. Tested for every
/// mantissa.
inline constexpr float kGuess[3] = {-48.0F - 0x1p-8F, 56.0F, -8.0F};

/// The range of the bins. Luminances outside count in the first or the last bin.
inline constexpr float kFirstBinned = 0x1p-32F;
inline constexpr float kBeyondBinned = 0x1p+32F;
static_assert(ONEPASS_LUMINANCE_FINE_LOW == -32 && ONEPASS_LUMINANCE_FINE_BINS == 64 * kBinsPerStop);

/// The bin of a luminance above 0.
inline uint32_t automatic_bin(float luminance) {
  if (luminance < kFirstBinned) return 0;
  if (luminance >= kBeyondBinned) return ONEPASS_LUMINANCE_FINE_BINS - 1;
  const uint32_t bits = std::bit_cast<uint32_t>(luminance);
  const float mantissa = std::bit_cast<float>((bits & 0x7FFFFFU) | 0x3F800000U);
  const auto end = std::upper_bound(std::begin(kBinEnds), std::end(kBinEnds), mantissa);
  return (bits >> 23) * kBinsPerStop + static_cast<uint32_t>(end - std::begin(kBinEnds)) - kFirstBin;
}

}  // namespace onepass::luminance
