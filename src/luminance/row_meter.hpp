// row_meter.hpp: the CPU meter's row functions: sums, extremes and histogram of a row of pixels. They are compiled once
// per SIMD target and chosen at run time. All targets compute the same bits: a pixel's number in the row selects one of
// 16 lanes of sums, and no multiplication and addition are fused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "luminance/params.hpp"

namespace onepass::luminance {

inline constexpr size_t kLanes = 16;
inline constexpr size_t kBlockGroups = 16;  ///< Groups of kLanes pixels that are summed in floats.
inline constexpr size_t kCopies = 8;        ///< Of the histogram: adjacent pixels often share a bin.
/// Words from one copy to the next; the bin after the last counts pixels without a bin. Not a power of two, so that the
/// copies of a bin are in different cache sets.
inline constexpr size_t kCopyWords = ONEPASS_LUMINANCE_FINE_BINS + 16;
inline constexpr size_t kHistogramWords = kCopies * kCopyWords;

/// Colours and luminances are scaled by this before they are added, so that no sum of a block overflows.
inline constexpr float kSumScale = 0x1p-12F;
static_assert(kBlockGroups * 255 < 4096);

/// How the channels of pixels are stored.
enum class MeterStorage : uint32_t { kU8, kSrgb8, kU16, kF16, kF32 };

struct MeterRowSpec {
  MeterStorage storage = MeterStorage::kF32;
  bool colour = true;     ///< Four channels, the last of which is ignored; else one channel.
  bool weighted = false;  ///< The caller passes weights.
  LuminanceParams params{};
  uint32_t bins = 0;  ///< Number of bins to count.

  [[nodiscard]] bool automatic() const { return bins == ONEPASS_LUMINANCE_FINE_BINS; }
};

/// Sums over pixels, in doubles, to which each block adds its floats.
struct LaneSums {
  alignas(64) std::array<double, kLanes> red{}, green{}, blue{}, luminance{};  ///< Scaled by kSumScale.
  alignas(64) std::array<double, kLanes> log2_fraction{};
  alignas(64) std::array<float, kLanes> min, max;
  int64_t log2_whole = 0;
  uint64_t weight = 0, zero_weight = 0;
  uint64_t finite = 0, nan = 0, infinite = 0, negative = 0, zero = 0;

  LaneSums();
};

/// The lane that a pixel is added to; `pixel` is its number modulo 16. For colours, the order is that of four loads and
/// a transpose of 4x4 channels.
inline size_t lane_of_pixel(bool colour, size_t pixel) { return colour ? pixel % 4 * 4 + pixel / 4 : pixel; }

/// Adds `count` pixels. `weights` has one byte per pixel, each 16 of them in the order of lanes, and zeros up to a
/// multiple of 16. Reads no texel beyond the row.
using MeterRow = void (*)(const MeterRowSpec& spec, const void* texels, size_t count, const uint8_t* weights,
                          LaneSums& sums, uint32_t* histogram);

/// The function for `spec` on the best SIMD target that is enabled; null if that has no vectors of constant size.
MeterRow find_meter_row(const MeterRowSpec& spec);

/// The scalar reference of the row functions, for rows of floats only.
void meter_row_plain(const MeterRowSpec& spec, const void* texels, size_t count, const uint8_t* weights, LaneSums& sums,
                     uint32_t* histogram);

}  // namespace onepass::luminance
