// small_float.hpp: floats with five exponent bits: half (10 mantissa bits and a sign) and the unsigned 11- and 10-bit
// floats of B10G11R11 (6 and 5 mantissa bits). Conversions from float round to nearest even; finite values beyond the
// largest finite value become that, and Inf stays Inf.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace onepass {

/// The magnitude of `value` with five exponent bits and `mantissa_bits` (5 to 10); the sign is ignored. NaN keeps the
/// upper bits of its payload and becomes quiet.
inline uint32_t encode_magnitude(float value, uint32_t mantissa_bits) {
  const uint32_t infinity = 31U << mantissa_bits;
  const uint32_t dropped = 23 - mantissa_bits;
  const uint32_t bits = std::bit_cast<uint32_t>(value) & 0x7FFFFFFFU;
  if (bits > 0x7F800000U) return infinity | 1U << (mantissa_bits - 1) | (bits & 0x7FFFFFU) >> dropped;
  if (bits == 0x7F800000U) return infinity;
  if (bits < 113U << 23) {  // below 2^-14: a multiple of 2^(-14 - mantissa_bits); the scaling is exact
    const float scaled = std::bit_cast<float>(bits) * static_cast<float>(1U << (14 + mantissa_bits));
    return static_cast<uint32_t>(std::nearbyint(scaled));
  }
  const uint32_t rebiased = bits - (112U << 23);
  const uint32_t rounded = (rebiased + (1U << (dropped - 1)) - 1 + (rebiased >> dropped & 1U)) >> dropped;
  return rounded < infinity ? rounded : infinity - 1;
}

/// The value of a non-negative float with five exponent bits and `mantissa_bits`.
inline float decode_magnitude(uint32_t bits, uint32_t mantissa_bits) {
  const uint32_t exponent = bits >> mantissa_bits;
  const uint32_t mantissa = bits & ((1U << mantissa_bits) - 1);
  if (exponent == 0) return static_cast<float>(mantissa) / static_cast<float>(1U << (14 + mantissa_bits));
  const uint32_t wide_exponent = exponent == 31 ? 255U : exponent + 112;
  return std::bit_cast<float>(wide_exponent << 23 | mantissa << (23 - mantissa_bits));
}

inline float decode_half(uint16_t bits) {
  return std::copysign(decode_magnitude(bits & 0x7FFFU, 10), (bits & 0x8000U) != 0 ? -1.0F : 1.0F);
}

inline uint16_t encode_half(float value) {
  const uint32_t sign = std::bit_cast<uint32_t>(value) >> 16 & 0x8000U;
  return static_cast<uint16_t>(sign | encode_magnitude(value, 10));
}

inline uint32_t encode_b10g11r11(float r, float g, float b) {
  const auto channel = [](float value, uint32_t mantissa_bits) {
    return value < 0.0F ? 0U : encode_magnitude(value, mantissa_bits);
  };
  return channel(r, 6) | channel(g, 6) << 11 | channel(b, 5) << 22;
}

}  // namespace onepass
