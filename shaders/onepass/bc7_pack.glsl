// bc7_pack.glsl: writes the fields of modes 5 and 6 of BC7, a part of bc7.glsl.
//
// Source: Khronos Data Format Specification 1.3, section "BPTC Compressed Texture Image Formats", "BC7".
#ifndef ONEPASS_BC7_PACK_GLSL_
#define ONEPASS_BC7_PACK_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/prelude_names.glsl"

/// The endpoints and indices of a fit. Indices have 4 bits in mode 6, texels 0 to 7 in `low` and 8 to 15 in `high`; 2
/// bits in mode 5, all in `low`.
struct OnepassBc7Fit {
  float error;
  float4 first;   // as stored; in mode 6 with the P-bit as the lowest bit
  float4 second;  // as stored
  uint low;
  uint high;
};

/// The index of texel 0 is stored without its highest bit: where that is set, endpoints and indices change places.
uint4 onepass_bc7_pack6(OnepassBc7Fit fit) {
  bool swap = (fit.low & 8u) != 0u;
  float4 first_end = swap ? fit.second : fit.first;
  float4 second_end = swap ? fit.first : fit.second;
  uint low = swap ? ~fit.low : fit.low;
  uint high = swap ? ~fit.high : fit.high;
  uint4 a = uint4(uint(first_end.x), uint(first_end.y), uint(first_end.z), uint(first_end.w));
  uint4 b = uint4(uint(second_end.x), uint(second_end.y), uint(second_end.z), uint(second_end.w));
  // Bits 0 to 6: the mode; from 7: red, green, blue and alpha of both endpoints, 7 bits each; 63, 64: P-bits; indices.
  uint4 words;
  words.x = 0x40u | (a.x >> 1u) << 7u | (b.x >> 1u) << 14u | (a.y >> 1u) << 21u | (b.y >> 1u) << 28u;
  words.y =
      b.y >> 5u | (a.z >> 1u) << 3u | (b.z >> 1u) << 10u | (a.w >> 1u) << 17u | (b.w >> 1u) << 24u | (a.x & 1u) << 31u;
  words.z = (low & 0xFFFFFFF0u) | (low & 7u) << 1u | (b.x & 1u);
  words.w = high;
  return words;
}

/// Mode 5 without rotation.
uint4 onepass_bc7_pack5(OnepassBc7Fit colors, OnepassBc7Fit alpha) {
  bool swap = (colors.low & 2u) != 0u;
  float4 first_end = swap ? colors.second : colors.first;
  float4 second_end = swap ? colors.first : colors.second;
  uint color_codes = swap ? ~colors.low : colors.low;
  bool swap_alpha = (alpha.low & 2u) != 0u;
  uint alpha_codes = swap_alpha ? ~alpha.low : alpha.low;
  uint3 a = uint3(uint(first_end.x), uint(first_end.y), uint(first_end.z));
  uint3 b = uint3(uint(second_end.x), uint(second_end.y), uint(second_end.z));
  uint alpha_a = uint(swap_alpha ? alpha.second.w : alpha.first.w);
  uint alpha_b = uint(swap_alpha ? alpha.first.w : alpha.second.w);
  color_codes = (color_codes & 1u) | (color_codes >> 1u & 0xFFFFFFFEu);  // 31 bits
  alpha_codes = (alpha_codes & 1u) | (alpha_codes >> 1u & 0xFFFFFFFEu);
  // Bits 0 to 5: the mode; 6, 7: rotation; from 8: colours of 7 bits; from 50: alpha of 8 bits; from 66: indices.
  uint4 words;
  words.x = 0x20u | a.x << 8u | b.x << 15u | a.y << 22u | b.y << 29u;
  words.y = b.y >> 3u | a.z << 4u | b.z << 11u | alpha_a << 18u | alpha_b << 26u;
  words.z = alpha_b >> 6u | color_codes << 2u;
  words.w = color_codes >> 30u | alpha_codes << 1u;
  return words;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_BC7_PACK_GLSL_
