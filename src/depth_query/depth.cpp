// depth.cpp: the values for unknown depths, and half floats rounded in a chosen direction. The CPU version of
// shaders/onepass/depth_query_half.glsl.
#include <bit>
#include <limits>

#include "onepass/depth_query.hpp"

namespace onepass::depth_query {
namespace {

constexpr float kMost = std::numeric_limits<float>::max();

// Half bits of a float's magnitude, rounded towards zero or (`away`) away from zero. Not for NaN.
uint32_t half_magnitude(uint32_t magnitude, bool away) {
  if (magnitude == 0x7F800000U) return 0x7C00U;
  if (magnitude >= 0x47800000U) return away ? 0x7C00U : 0x7BFFU;  // 65536 and more
  uint32_t bits = 0;
  bool inexact = false;
  if (magnitude < 0x38800000U) {  // below 2^-14: a multiple of 2^-24
    const uint32_t exponent = magnitude >> 23;
    const uint32_t mantissa = (magnitude & 0x7FFFFFU) | (exponent > 0 ? 0x800000U : 0U);
    const uint32_t shift = std::min(126 - exponent, 31U);
    bits = mantissa >> shift;
    inexact = (mantissa & ((1U << shift) - 1)) != 0;
  } else {
    const uint32_t rebiased = magnitude - (112U << 23);
    bits = rebiased >> 13;
    inexact = (rebiased & 0x1FFFU) != 0;
  }
  return bits + (away && inexact ? 1 : 0);  // a carry into the exponent, up to infinity, is correct
}

uint16_t half_directed(float value, bool up) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  const uint32_t sign = bits >> 16 & 0x8000U;
  if (magnitude > 0x7F800000U) return static_cast<uint16_t>(sign | 0x7E00U);
  return static_cast<uint16_t>(sign | half_magnitude(magnitude, (sign == 0) == up));
}

}  // namespace

float unknown_farthest(bool reversed_z) { return reversed_z ? -kMost : kMost; }
float unknown_nearest(bool reversed_z) { return reversed_z ? kMost : -kMost; }

uint16_t half_up(float value) { return half_directed(value, true); }
uint16_t half_down(float value) { return half_directed(value, false); }
uint16_t half_farther(float depth, bool reversed_z) { return half_directed(depth, !reversed_z); }
uint16_t half_nearer(float depth, bool reversed_z) { return half_directed(depth, reversed_z); }

}  // namespace onepass::depth_query
