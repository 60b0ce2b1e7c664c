// mip_filter.hpp: FilterAxis: the weights of a MipFilter along one axis, from F texels of the input to C texels of
// a level. Both engines take them from here.
//
// Texel i of the level has its middle at (i + 1/2) F / C on the axis of the input, and input texel j lies
//     x = ((2j + 1) C - (2i + 1) F) / 2F
// texels of the level away from it. Its weight is h(x), divided by the sum of all h(x) of texel i. Texels j outside of
// the input have weights, too: Boundary says which texels they stand for. The numerator is an integer, so that weights
// are symmetric, and all texels have the same ones where F is a multiple of C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "onepass/pyramid.hpp"

namespace onepass::pyramid {

/// h(x) of a filter other than kBox; 0 from its half width on. The same bits on every processor: it uses no function of
/// the C library that may round differently.
double filter_height(const MipFilterOptions& filter, double x);

/// The least distance from which h(x) is 0.
double filter_half_width(const MipFilterOptions& filter);

/// The input texel that stands for texel j of an axis of `size` texels.
uint32_t mapped_texel(Boundary boundary, int64_t j, uint32_t size);

/// The input texels of one texel of a level: first, first + 1, ...; they may lie outside of the input.
template <typename T>
struct FilterTaps {
  int64_t first = 0;
  uint32_t count = 0;
  const T* weights = nullptr;  ///< Each repeated FilterAxis::repeats() times; their sum is 1 but for rounding.
  uint32_t near_begin = 0;     ///< The taps nearer than one texel of the level: Ringing::kLimit.
  uint32_t near_end = 0;
};

template <typename T>
class FilterAxis {
 public:
  FilterAxis() = default;
  FilterAxis(const MipFilterOptions& filter, uint32_t input, uint32_t level, uint32_t repeats);

  [[nodiscard]] FilterTaps<T> taps(uint32_t i) const;

  /// Texels before the first one and after the last one of the input that the first and the last texel take.
  [[nodiscard]] uint32_t margin() const { return margin_; }
  [[nodiscard]] uint32_t input() const { return input_; }

  /// Have all texels the same weights?
  [[nodiscard]] bool is_uniform() const { return phases_.size() == 1; }

 private:
  struct Phase {
    int64_t first = 0;
    uint32_t count = 0;
    uint32_t near_begin = 0;
    uint32_t near_end = 0;
    size_t weights = 0;  ///< Index of the first weight.
  };

  void add_phase(const MipFilterOptions& filter, uint32_t level, uint32_t i);

  std::vector<Phase> phases_;  ///< One if all texels have the same weights, else one per texel.
  std::vector<T> weights_;
  uint32_t input_ = 1;
  uint32_t repeats_ = 1;
  uint32_t shift_ = 0;  ///< With one phase: input texels from one texel of the level to the next.
  uint32_t margin_ = 0;
};

}  // namespace onepass::pyramid
