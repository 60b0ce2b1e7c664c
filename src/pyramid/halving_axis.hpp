// halving_axis.hpp: HalvingAxis: the weights of a FilterAxis that is about halved, in the order in which SIMD code
// reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "pyramid/mip_filter.hpp"

namespace onepass::cpu {

using pyramid::FilterAxis;
using pyramid::FilterTaps;

/// The weights of an axis that is about halved, 2 <= F / C < 3, tap by tap. Tap k of texel i is texel 2i + first + k of
/// a row that begins with the axis' margin: `first` and the number of taps change at most twice along a row, which
/// makes up to three runs of texels. Even and odd texels of such a row, apart, are read in order.
template <typename T>
class HalvingAxis {
 public:
  struct Run {
    uint32_t begin = 0;  ///< Texels [begin, end).
    uint32_t end = 0;
    uint32_t first = 0;
    uint32_t count = 0;
    size_t weights = 0;  ///< Index of the weights of tap 0.
    size_t stride = 0;   ///< From the weights of one tap to those of the next: 1 if all texels have the same ones.
  };

  HalvingAxis() = default;
  explicit HalvingAxis(const FilterAxis<T>& axis, uint32_t level, uint32_t repeats);

  /// Empty if the axis is not about halved.
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  [[nodiscard]] const T* weights(const Run& run) const { return weights_.data() + run.weights; }

 private:
  std::vector<Run> runs_;
  AlignedVector<T> weights_;
};

}  // namespace onepass::cpu
