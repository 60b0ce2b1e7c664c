// cpu_axis.hpp: AxisStep: one axis of the step from a level to the next coarser one: which finer texels a coarse texel
// is made from, and their weights. The footprints aligned, covering, edge and ceil differ only here; tight
// is in cpu_tight.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "onepass/pyramid.hpp"
#include "reduction/box_kernels.hpp"

namespace onepass::cpu {

using reduction::Taps;

struct AxisStep {
  uint32_t fine = 1;
  uint32_t coarse = 1;
  Taps taps = Taps::kOne;
  /// The last coarse texel takes all remaining finer texels, each weighted by the number of base texels it stands for:
  /// up to three with the footprint edge, one or two with ceil.
  bool remainder_last = false;
  uint32_t remainder_taps = 0;
  std::array<double, 3> remainder_weights{};

  /// The finer texels that coarse texels [begin, end) are made from.
  [[nodiscard]] TexelRange fine_range(TexelRange range) const;
  [[nodiscard]] TexelRange fine_range(uint32_t i) const { return fine_range({i, i + 1}); }

  [[nodiscard]] bool takes_remainder(uint32_t i) const { return remainder_last && i + 1 == coarse; }

  /// The end of those texels of [begin, end) that have the taps of `taps`: all but a last one that takes the remainder.
  [[nodiscard]] uint32_t regular_end(TexelRange range) const {
    return takes_remainder(range.end - 1) ? range.end - 1 : range.end;
  }

  /// Weights of the finer texels of coarse texel i; their sum is 1. Only for Taps::kThree and for the texel that takes
  /// the remainder: elsewhere all weights are equal.
  [[nodiscard]] std::array<double, 3> weights(uint32_t i) const;
};

/// The step to level `level` (1 and up) of an axis with base size `size`. Not for the tight footprint.
AxisStep make_axis_step(Footprint footprint, uint32_t size, uint32_t level);

/// Rounds `weights` times `scale` to T. The larger of the first and the last weight absorbs the rounding errors of the
/// others, so that the sum remains `scale`. (The smaller one may be so small that these errors are many ULP of it.)
template <typename T>
std::array<T, 3> round_weights(const std::array<double, 3>& weights, uint32_t taps, double scale = 1.0) {
  std::array<T, 3> rounded{};
  const uint32_t absorber = weights[0] > weights[taps - 1] ? 0 : taps - 1;
  double rest = scale;
  for (uint32_t i = 0; i < taps; ++i) {
    if (i == absorber) continue;
    rounded[i] = static_cast<T>(weights[i] * scale);
    rest -= static_cast<double>(rounded[i]);
  }
  rounded[absorber] = static_cast<T>(rest);
  return rounded;
}

/// The smallest range that contains both; an empty range is ignored.
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
