// coverage.cpp: finds the r-th largest alpha by radix selection, 8 bits in each of four passes, and the least scale by
// binary search over the bits: bits of non-negative floats are in the order of their values.
#include "pyramid/coverage.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "image/small_float.hpp"

namespace onepass {
namespace {

uint32_t bits_of(float alpha) { return std::bit_cast<uint32_t>(alpha); }
float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

/// The least and the next smaller alpha around a threshold, as floats that the format represents.
struct Neighbours {
  float passing = 0;
  float failing = 0;
};

Neighbours around(Format format, float threshold) {
  const float unit = image::make_decode_spec(format).alpha_unit;
  if (unit != 1) {  // quantised: a sampler returns code / unit, rounded to float
    float code = std::ceil(threshold * unit);
    while (code > 0 && (code - 1) / unit >= threshold) --code;
    while (code / unit < threshold) ++code;
    return {code / unit, (code - 1) / unit};
  }
  const FormatInfo& info = format_info(format);
  if (info.bytes_per_texel / info.channels == 2) {
    uint16_t half = encode_half(threshold);
    if (decode_half(half) < threshold) ++half;
    return {decode_half(half), half == 0 ? 0.0F : decode_half(static_cast<uint16_t>(half - 1))};
  }
  return {threshold, std::nextafter(threshold, 0.0F)};
}

/// The `rank`-th largest alpha (from 1), digit by digit of its bits, and the numbers of equal and of larger alphas.
struct Ranked {
  uint32_t bits = 0;
  uint64_t equal = 0;
  uint64_t larger = 0;
};

Ranked find_ranked(std::span<const float> alphas, uint64_t rank) {
  Ranked found;
  for (int shift = 24; shift >= 0; shift -= 8) {
    std::array<uint32_t, 256> counts{};
    const uint32_t prefix = static_cast<uint32_t>(uint64_t{found.bits} >> (shift + 8));
    for (const float alpha : alphas) {
      const uint32_t bits = bits_of(alpha);
      if (static_cast<uint32_t>(uint64_t{bits} >> (shift + 8)) == prefix) ++counts[bits >> shift & 255U];
    }
    uint32_t digit = 255;
    while (found.larger + counts[digit] < rank) found.larger += counts[digit--];
    found.bits |= digit << shift;
    found.equal = counts[digit];
  }
  return found;
}

/// The least float s with v * s >= threshold; products are rounded to nearest.
float least_scale(float v, float threshold) {
  uint32_t scale = 0;  // the largest bits whose product is too small
  for (uint32_t bit = 1U << 30; bit > 0; bit >>= 1) {
    const uint32_t next = scale | bit;
    // 0x7F800000: infinity.
    if (next < 0x7F800000U && v * float_of(next) < threshold) scale = next;
  }
  return float_of(scale + 1);
}

}  // namespace

AlphaTest make_alpha_test(Format source, Format target, float threshold) {
  const float unit = image::make_decode_spec(source).alpha_unit;
  const Neighbours stored = around(target, threshold);
  AlphaTest test;
  test.threshold = threshold;
  test.base_cut = std::round(around(source, threshold).passing * unit);
  if (unit == 1) test.base_cut = threshold;
  test.unscaled_cut = std::min(test.base_cut, threshold * unit);
  test.unscaled_scale = 1 / unit;
  test.least_passing = stored.passing;
  test.most_failing = stored.failing;
  return test;
}

image::AlphaScale choose_alpha_scale(std::span<const float> alphas, const BaseCoverage& base, const AlphaTest& test) {
  const uint64_t texels = alphas.size();
  const uint64_t wanted = base.passing * texels;  // times base.texels; below 2^62
  const Ranked v = find_ranked(alphas, std::max<uint64_t>(1, (wanted + base.texels - 1) / base.texels));
  const uint64_t more = (v.larger + v.equal) * base.texels;
  const uint64_t fewer = v.larger * base.texels;
  const bool equals_pass = v.bits != 0 && more - wanted <= wanted - fewer;
  const uint64_t passing = v.larger + (equals_pass ? v.equal : 0);
  const auto unscaled =
      std::count_if(alphas.begin(), alphas.end(), [&](float alpha) { return alpha >= test.unscaled_cut; });

  image::AlphaScale scale = {.least_passing = test.least_passing, .most_failing = test.most_failing};
  if (passing == static_cast<uint64_t>(unscaled)) {
    scale.scale = test.unscaled_scale;
    scale.cut = test.unscaled_cut;
  } else {
    constexpr float kLeastAlpha = 0x1p-24F;  // limits the scale where the level has too few texels that are not 0
    scale.scale = least_scale(std::max(float_of(v.bits), kLeastAlpha), test.threshold);
    scale.cut = float_of(v.bits + (equals_pass ? 0 : 1));
  }
  return scale;
}

}  // namespace onepass
