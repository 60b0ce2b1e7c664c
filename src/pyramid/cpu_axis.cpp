// cpu_axis.cpp: weights along an axis of n finer texels and k coarser ones. Three taps of covering are polyphase, (k -
// i, k, i + 1) / n; the last texel of edge and ceil weighs finer texels by the base texels that they stand for.
#include "pyramid/cpu_axis.hpp"

#include <algorithm>

namespace onepass::cpu {

TexelRange AxisStep::fine_range(TexelRange range) const {
  if (range.begin == range.end) return {};
  if (taps == Taps::kOne) return range;
  const uint32_t regular = 2 * range.end + (taps == Taps::kThree ? 1 : 0);
  return {2 * range.begin, takes_remainder(range.end - 1) ? fine : regular};
}

std::array<double, 3> AxisStep::weights(uint32_t i) const {
  if (takes_remainder(i)) return remainder_weights;
  const double k = coarse;
  return {(k - i) / fine, k / fine, (i + 1.0) / fine};
}

AxisStep make_axis_step(Footprint footprint, uint32_t size, uint32_t level) {
  AxisStep step;
  step.fine = level_size(footprint, {size, size}, level - 1).width;
  step.coarse = level_size(footprint, {size, size}, level).width;
  if (step.fine == 1) return step;
  const bool odd = step.fine % 2 == 1;
  step.taps = footprint == Footprint::kCovering && odd ? Taps::kThree : Taps::kTwo;
  if (footprint != Footprint::kEdge && footprint != Footprint::kCeil) return step;

  const uint64_t block = uint64_t{1} << (level - 1);  // base texels of every finer texel but the last
  const uint64_t last_block = size - (step.fine - 1) * block;
  step.remainder_last = odd || last_block != block;
  step.remainder_taps = !odd ? 2 : footprint == Footprint::kEdge ? 3 : 1;
  const auto total = static_cast<double>((step.remainder_taps - 1) * block + last_block);
  for (uint32_t tap = 0; tap < step.remainder_taps; ++tap) {
    step.remainder_weights[tap] = static_cast<double>(tap + 1 < step.remainder_taps ? block : last_block) / total;
  }
  return step;
}

}  // namespace onepass::cpu
