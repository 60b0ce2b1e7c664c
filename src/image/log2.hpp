// log2.hpp: base-2 logarithm and exponential with the same bits on every machine: the CPU version of the functions of
// these names in shaders/onepass/luminance_math.glsl. Additions and multiplications only, none of them fused.
//
// The polynomials are minimax fits. log2: x = 2^e m with m in [sqrt(1/2), sqrt(2)), log2(m) = t P(t), t = m - 1, with
// an error of at most 1.3e-7, and exact where x is a power of two. exp2: 2^f = 1 + f Q(f) on [-1/2, 1/2], relative
// error 1.2e-7.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace onepass {

inline constexpr float kLog2[8] = {1.4426947832107544F,   -0.7213571071624756F, 0.4809393882751465F,
                                   -0.36008813977241516F, 0.286708801984787F,   -0.25006136298179626F,
                                   0.23688070476055145F,  -0.1457548886537552F};
inline constexpr float kExp2[6] = {0.6931471824645996F,   0.24022650718688965F,   0.055503278970718384F,
                                   0.009618003852665424F, 0.0013400234747678041F, 0.0001547625579405576F};
inline constexpr uint32_t kSqrtHalf = 0x3F3504F3;  // bits of sqrt(1/2)

struct Log2Parts {
  int32_t whole;
  float fraction;  ///< -0.5 to 0.5.
};

/// log2 of a positive normal number in two parts.
inline Log2Parts log2_parts(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const int32_t whole = static_cast<int32_t>(bits - kSqrtHalf) >> 23;
  const float t = std::bit_cast<float>(bits - (static_cast<uint32_t>(whole) << 23)) - 1.0F;
  float p = kLog2[7];
  for (int i = 6; i >= 0; --i) p = p * t + kLog2[i];
  return {whole, p * t};
}

inline float log2_of(float x) {
  const Log2Parts parts = log2_parts(x);
  return static_cast<float>(parts.whole) + parts.fraction;
}

/// 2^(whole + fraction), with fraction in -1/2 to 1/2. From 2^128 on infinity; below 2^-126 a denormal or 0.
inline float exp2_parts(int32_t whole, float fraction) {
  float p = kExp2[5];
  for (int i = 4; i >= 0; --i) p = p * fraction + kExp2[i];
  const float mantissa = p * fraction + 1.0F;
  // Two factors, because 2^128 is not a float.
  const int32_t clamped = std::clamp(whole, -252, 254);
  const int32_t half = clamped >> 1;
  const auto power = [](int32_t e) { return std::bit_cast<float>(static_cast<uint32_t>(e + 127) << 23); };
  return mantissa * power(half) * power(clamped - half);
}

inline float exp2_of(float x) {
  const float limited = std::clamp(x, -300.0F, 300.0F);
  const float whole = std::floor(limited + 0.5F);
  return exp2_parts(static_cast<int32_t>(whole), limited - whole);
}

}  // namespace onepass
