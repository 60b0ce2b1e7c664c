// row_meter.hpp: sums over a row of pixels. Once per SIMD target, chosen at run time; all targets compute the same
// bits: pixels are dealt to 16 lanes of sums by their number in the row, and no multiplication and addition are fused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "onepass/luminance_params.h"

namespace onepass::luminance {

inline constexpr size_t kLanes = 16;
inline constexpr size_t kBlockGroups = 16;  ///< Groups of kLanes pixels that are summed up in floats.
inline constexpr size_t kCopies = 8;        ///< Of the histogram: neighbours often share a bin.
/// From one copy to the next: the last bin is for what has none. No power of two, so that copies of a bin do not meet
/// in the cache.
inline constexpr size_t kCopyWords = ONEPASS_LUMINANCE_FINE_BINS + 16;
inline constexpr size_t kHistogramWords = kCopies * kCopyWords;

/// Colours and luminances are scaled by this before they are added up: no sum of a block overflows.
inline constexpr float kSumScale = 0x1p-12F;
static_assert(kBlockGroups * 255 < 4096);

/// How pixels are stored.
enum class MeterStorage : uint32_t { kU8, kSrgb8, kU16, kF16, kF32 };

struct MeterRowSpec {
  MeterStorage storage = MeterStorage::kF32;
  bool colour = true;     ///< Four channels, of which three count; else one.
  bool weighted = false;  ///< Weights are given.
  LuminanceParams params{};
  uint32_t bins = 0;  ///< Of the counted histogram.

  [[nodiscard]] bool automatic() const { return bins == ONEPASS_LUMINANCE_FINE_BINS; }
};

/// What sums over pixels are made of: doubles to which each block adds its floats.
struct LaneSums {
  alignas(64) std::array<double, kLanes> red{}, green{}, blue{}, luminance{};  ///< Scaled by kSumScale.
  alignas(64) std::array<double, kLanes> log2_fraction{};
  alignas(64) std::array<float, kLanes> min, max;
  int64_t log2_whole = 0;
  uint64_t weight = 0, zero_weight = 0;
  uint64_t finite = 0, nan = 0, infinite = 0, negative = 0, zero = 0;

  LaneSums();
};

/// Where a pixel's sums are, for the pixel's number modulo 16. Colours go the way that four loads and a transposition
/// of 4x4 channels take them.
inline size_t lane_of_pixel(bool colour, size_t pixel) { return colour ? pixel % 4 * 4 + pixel / 4 : pixel; }

/// Adds `count` pixels. `weights` is one byte a pixel, within each 16 in the order of lanes, up to a multiple of 16;
/// zero beyond the last. Reads no texel beyond the row.
using MeterRow = void (*)(const MeterRowSpec& spec, const void* texels, size_t count, const uint8_t* weights,
                          LaneSums& sums, uint32_t* histogram);

/// The function for `spec` on the best SIMD target that is enabled.
MeterRow find_meter_row(const MeterRowSpec& spec);

/// The same in plain loops, for rows of floats only.
void meter_row_plain(const MeterRowSpec& spec, const void* texels, size_t count, const uint8_t* weights, LaneSums& sums,
                     uint32_t* histogram);

}  // namespace onepass::luminance
