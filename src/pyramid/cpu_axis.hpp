// cpu_axis.hpp: one step from a level to the next coarser one along one axis: which finer texels a texel takes and with
// what weights. Everything the footprints differ in, except tight, is in here.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/row_kernels.hpp"
#include "onepass/pyramid.hpp"

namespace onepass::cpu {

struct AxisStep {
  uint32_t fine = 1;
  uint32_t coarse = 1;
  Taps taps = Taps::kOne;
  /// The last coarse texel takes all finer texels that are left, in proportion to the base texels each stands for.
  bool fat_last = false;
  uint32_t fat_taps = 0;
  std::array<double, 3> fat_weights{};

  /// The finer texels that coarse texels [begin, end) take.
  [[nodiscard]] TexelRange fine_range(TexelRange range) const;
  [[nodiscard]] TexelRange fine_range(uint32_t i) const { return fine_range({i, i + 1}); }

  [[nodiscard]] bool is_fat(uint32_t i) const { return fat_last && i + 1 == coarse; }

  /// The end of the part of [begin, end) that follows the common rule.
  [[nodiscard]] uint32_t regular_end(TexelRange range) const {
    return is_fat(range.end - 1) ? range.end - 1 : range.end;
  }

  /// Weights of the finer texels of coarse texel i; they add up to 1.
  [[nodiscard]] std::array<double, 3> weights(uint32_t i) const;
};

/// The step that makes level `level` (1 and up) of an axis with base size `size`. Not for tight.
AxisStep make_axis_step(Footprint footprint, uint32_t size, uint32_t level);

/// `weights` times `scale`, rounded to T such that what is lost in one is gained in another: they still add up to
/// `scale`.
template <typename T>
std::array<T, 3> round_weights(const std::array<double, 3>& weights, uint32_t taps, double scale = 1.0) {
  std::array<T, 3> rounded{};
  double rest = scale;
  for (uint32_t i = 0; i + 1 < taps; ++i) {
    rounded[i] = static_cast<T>(weights[i] * scale);
    rest -= static_cast<double>(rounded[i]);
  }
  rounded[taps - 1] = static_cast<T>(rest);
  return rounded;
}

/// The smallest range that holds both; an empty range counts for nothing.
inline TexelRange hull(TexelRange a, TexelRange b) {
  if (a.begin == a.end) return b;
  if (b.begin == b.end) return a;
  return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

/// The texels in both; {0, 0} when there are none.
inline TexelRange intersect(TexelRange a, TexelRange b) {
  const TexelRange both = {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
  return both.begin < both.end ? both : TexelRange{};
}

}  // namespace onepass::cpu
