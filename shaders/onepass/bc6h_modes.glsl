// bc6h_modes.glsl: endpoints in the four modes of BC6H with one pair, and the fields of a block: a part of bc6h.glsl.
//
// Source: Khronos Data Format Specification 1.3, section "BPTC Compressed Texture Image Formats", "BC6H".
#ifndef ONEPASS_BC6H_MODES_GLSL_
#define ONEPASS_BC6H_MODES_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/prelude_names.glsl"

/// Real endpoints, in the integers that stored ones mean.
struct OnepassBc6hEnds {
  float3 first;
  float3 second;
};

/// The indices of 4 bits of a fit: texels 0 to 7 in `low`, 8 to 15 in `high`.
struct OnepassBc6hIndices {
  float error;
  uint low;
  uint high;
};

/// The integer of 16 bits, or of 17 with its sign, that a stored endpoint of `bits` bits means.
int onepass_bc6h_expanded(int value, uint bits, bool has_sign) {
  if (value == 0 || bits == 16u) return value;
  int size = abs(value);
  int most = has_sign ? (1 << (bits - 1u)) - 1 : (1 << bits) - 1;
  int wide = ((size << 15u) + 0x4000) >> (bits - 1u);
  if (size >= most) wide = has_sign ? 0x7FFF : 0xFFFF;
  return value < 0 ? -wide : wide;
}

int3 onepass_bc6h_expanded3(int3 value, uint bits, bool has_sign) {
  return int3(onepass_bc6h_expanded(value.x, bits, has_sign), onepass_bc6h_expanded(value.y, bits, has_sign),
              onepass_bc6h_expanded(value.z, bits, has_sign));
}

/// The stored value of `bits` bits that means the integer nearest to `value`.
int onepass_bc6h_quantised(float value, uint bits, bool has_sign) {
  int most = has_sign ? (1 << (bits - 1u)) - 1 : (1 << bits) - 1;
  int least = has_sign ? -most : 0;
  int whole = int(clamp(value, has_sign ? -32767.0 : 0.0, has_sign ? 32767.0 : 65535.0)) >> (16u - bits);
  int best = 0;
  float nearest = 3.402823466e38;
  ONEPASS_UNROLL for (int turn = -1; turn <= 1; ++turn) {
    int stored = whole + turn;
    precise float error = abs(float(onepass_bc6h_expanded(stored, bits, has_sign)) - value);
    bool better = stored >= least && stored <= most && error < nearest;
    best = better ? stored : best;
    nearest = better ? error : nearest;
  }
  return best;
}
int3 onepass_bc6h_quantised3(float3 value, uint bits, bool has_sign) {
  return int3(onepass_bc6h_quantised(value.x, bits, has_sign), onepass_bc6h_quantised(value.y, bits, has_sign),
              onepass_bc6h_quantised(value.z, bits, has_sign));
}

/// Endpoints as a mode with one pair stores them.
struct OnepassBc6hMode {
  int3 first;
  int3 second;
  uint bits;
};

/// The bits of the second endpoint, or of its difference to the first one.
uint onepass_bc6h_second_bits(uint bits) { return bits == 16u ? 4u : 20u - bits; }

/// Stores endpoints in the finest mode whose differences can hold them.
OnepassBc6hMode onepass_bc6h_store(OnepassBc6hEnds ends, bool has_sign) {
  OnepassBc6hMode mode;
  bool stored = false;
  ONEPASS_UNROLL for (uint turn = 0u; turn < 4u; ++turn) {
    uint bits = turn == 0u ? 16u : 13u - turn;
    int3 first = onepass_bc6h_quantised3(ends.first, bits, has_sign);
    int3 second = onepass_bc6h_quantised3(ends.second, bits, has_sign);
    int limit = 1 << (onepass_bc6h_second_bits(bits) - 1u);
    int3 delta = second - first;
    bool fits =
        bits == 10u || (min(min(delta.x, delta.y), delta.z) >= -limit && max(max(delta.x, delta.y), delta.z) < limit);
    if (fits && !stored) {
      mode.first = first;
      mode.second = second;
      mode.bits = bits;
    }
    stored = stored || fits;
  }
  return mode;
}

/// The 10 bits behind the lowest ten of the first endpoints: those of the second endpoint or the difference, then the
/// higher bits of the first endpoint, the highest first.
uint onepass_bc6h_rest(int first, int second, uint bits) {
  uint count = onepass_bc6h_second_bits(bits);
  uint rest = uint(bits == 10u ? second : second - first) & ((1u << count) - 1u);
  ONEPASS_UNROLL for (uint i = 0u; i < 6u; ++i) {
    bool there = i < bits - 10u;
    uint bit = uint(first) >> (there ? bits - 1u - i : 0u) & 1u;
    rest |= there ? bit << (count + i) : 0u;
  }
  return rest;
}

uint4 onepass_bc6h_pack(OnepassBc6hMode mode, OnepassBc6hIndices indices) {
  uint3 low = uint3(uint(mode.first.x) & 1023u, uint(mode.first.y) & 1023u, uint(mode.first.z) & 1023u);
  uint number = mode.bits == 16u ? 15u : 4u * mode.bits - 37u;  // 3, 7 and 11 of 10, 11 and 12 bits
  uint red = onepass_bc6h_rest(mode.first.x, mode.second.x, mode.bits);
  uint green = onepass_bc6h_rest(mode.first.y, mode.second.y, mode.bits);
  uint blue = onepass_bc6h_rest(mode.first.z, mode.second.z, mode.bits);
  uint4 words;
  words.x = number | low.x << 5u | low.y << 15u | low.z << 25u;
  words.y = low.z >> 7u | red << 3u | green << 13u | blue << 23u;
  words.z = (indices.low & 0xFFFFFFF0u) | (indices.low & 7u) << 1u | blue >> 9u;
  words.w = indices.high;
  return words;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_BC6H_MODES_GLSL_
