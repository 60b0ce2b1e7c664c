// depth_query_half.glsl: conservative depth in half floats, rounded in a chosen direction instead of to nearest. A
// farthest depth must be stored as the next half float farther, a nearest depth as the next one nearer. Rounding to
// nearest would take the unsafe direction for half of all texels. Part of depth_query.glsl.
//
// A half float is held as its 16 bits in a uint. Store it in an image of half floats with unpackHalf2x16(bits).x, or
// packed.
#ifndef ONEPASS_DEPTH_QUERY_HALF_GLSL_
#define ONEPASS_DEPTH_QUERY_HALF_GLSL_

#include "onepass/prelude_types.glsl"
#include "onepass/prelude_names.glsl"

// Bits of a float's magnitude as a half float, rounded towards zero or, if `away`, away from it. Not for NaN.
uint onepass_half_magnitude(uint magnitude, bool away) {
  if (magnitude == 0x7F800000u) return 0x7C00u;
  if (magnitude >= 0x47800000u) return away ? 0x7C00u : 0x7BFFu;  // 65536 and more
  uint half_bits;
  bool inexact;
  if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24
    uint exponent = magnitude >> 23;
    uint mantissa = (magnitude & 0x7FFFFFu) | (exponent > 0u ? 0x800000u : 0u);
    uint shift = min(126u - exponent, 31u);
    half_bits = mantissa >> shift;
    inexact = (mantissa & ((1u << shift) - 1u)) != 0u;
  } else {
    uint rebiased = magnitude - (112u << 23);
    half_bits = rebiased >> 13;
    inexact = (rebiased & 0x1FFFu) != 0u;
  }
  return half_bits + (away && inexact ? 1u : 0u);  // a carry into the exponent, up to infinity, is right
}

uint onepass_half_directed(float value, bool up) {
  uint bits = onepass_float_bits(value);
  uint magnitude = bits & 0x7FFFFFFFu;
  uint sign = (bits >> 16) & 0x8000u;
  if (magnitude > 0x7F800000u) return sign | 0x7E00u;
  return sign | onepass_half_magnitude(magnitude, (sign == 0u) == up);
}

/// Bits of the smallest half float that is not below `value`; infinity above 65504. NaN stays NaN. Devices that flush
/// subnormal floats may treat values below 2^-126 as 0.
uint onepass_half_up(float value) { return onepass_half_directed(value, true); }

/// Bits of the largest half float that is not above `value`; minus infinity below -65504. NaN stays NaN.
uint onepass_half_down(float value) { return onepass_half_directed(value, false); }

/// For a farthest depth: bits of the nearest half float at or behind `depth`.
uint onepass_half_farther(float depth, bool reversed_z) { return onepass_half_directed(depth, !reversed_z); }

/// For a nearest depth: bits of the farthest half float at or in front of `depth`.
uint onepass_half_nearer(float depth, bool reversed_z) { return onepass_half_directed(depth, reversed_z); }

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_DEPTH_QUERY_HALF_GLSL_
