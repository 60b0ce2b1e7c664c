// filter_gain.hpp: the gain of a frequency filter on the CPU: shaders/onepass/fourier_filter.glsl compiled as C++.
#pragma once

#include <bit>
#include <cmath>

#include "onepass/fourier_filter_params.h"

namespace onepass {

/// Has the functions of the shader header as members, and its parameter buffer as a reference.
class FilterGain {
 public:
  explicit FilterGain(const FourierFilterParams& params) : params_(params) {}

  [[nodiscard]] float operator()(float fx, float fy) { return onepass_filter_gain(fx, fy); }

 private:
  using uint = uint32_t;
  using float4 = fourier_filter::float4;
  static float min(float a, float b) { return a < b ? a : b; }
  static float max(float a, float b) { return a > b ? a : b; }
  static float floor(float x) { return std::floor(x); }
  static float onepass_bits_float(uint bits) { return std::bit_cast<float>(bits); }

#define ONEPASS_FILTER_PARAMS params_
#include "onepass/fourier_filter.glsl"
#undef ONEPASS_FILTER_PARAMS

  const FourierFilterParams& params_;
};

}  // namespace onepass
