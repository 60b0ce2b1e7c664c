// luminance_sums.glsl: sums over a workgroup that do not depend on the order of their terms. Part of
// luminance_meter.glsl.
//
// A sum of floats depends on the order of its terms, a sum of integers does not. Therefore the sum of a subgroup
// (without subgroups: of an invocation) is split into digits of 13 bits, three of which hold a float exactly. Atomics
// add digits in any order, in shared memory and then in scratch memory; no workgroup waits for partial sums. Source:
// R. M. Neal, "Fast Exact Summation Using Small and Large Superaccumulators", 2015.
//
// Words of the sums:
//       0  five float sums (red, green, blue, luminance, fractions of log2) of 21 digits, the lowest first; the unit of
//          digit j is 2^(13 j - 153)
//     105  three integer sums (integer parts of log2, weight, weight of luminance 0) of 4 digits; the last two only if
//          weights are wide
//     117  counts of finite, NaN, infinite, negative and zero pixels
//     122  bits of infinity minus bits of the least luminance; bits of the greatest
#ifndef ONEPASS_LUMINANCE_SUMS_GLSL_
#define ONEPASS_LUMINANCE_SUMS_GLSL_

#include "onepass/prelude_names.glsl"

#define ONEPASS_DIGIT_BITS 13u
#define ONEPASS_DIGIT_MASK 8191u
#define ONEPASS_SUM_DIGITS 21u
#define ONEPASS_WHOLE_DIGITS 4u
#define ONEPASS_AT_WHOLE 105u
#define ONEPASS_AT_COUNTS 117u
#define ONEPASS_AT_RANGE 122u
#define ONEPASS_SUM_WORDS 124u

groupshared uint s_sums[ONEPASS_SUM_WORDS];

/// Adds a subgroup's or an invocation's float sum `number` to the workgroup's.
void onepass_share_float(uint number, float sum) {
  uint exponent = (onepass_float_bits(sum) & 0x7FFFFFFFu) >> 23;
  uint top = min(exponent / ONEPASS_DIGIT_BITS, 18u) + 2u;
  float rest = sum * onepass_bits_float((127u + 153u - ONEPASS_DIGIT_BITS * top) << 23);  // in units of digit `top`
  ONEPASS_UNROLL for (uint i = 0u; i < 3u; ++i) {
    int digit = int(rest);
    rest = (rest - float(digit)) * 8192.0;
    onepass_shared_add(s_sums[ONEPASS_SUM_DIGITS * number + top - i], uint(digit));
  }
}

/// Adds an invocation's integer sum `number` to the workgroup's.
void onepass_share_whole(uint number, uint value) {
  uint word = ONEPASS_AT_WHOLE + ONEPASS_WHOLE_DIGITS * number;
  onepass_shared_add(s_sums[word], value & ONEPASS_DIGIT_MASK);
  onepass_shared_add(s_sums[word + 1u], (value >> ONEPASS_DIGIT_BITS) & ONEPASS_DIGIT_MASK);
  onepass_shared_add(s_sums[word + 2u], value >> (2u * ONEPASS_DIGIT_BITS));
}

/// The carry from a digit's sum to the next digit. Digits of floats keep a remainder of -4096 to 4095, so that a small
/// number has no large digits that cancel.
uint onepass_carry(uint sum, bool whole) {
  return whole ? sum >> ONEPASS_DIGIT_BITS : uint(int(sum + 4096u) >> ONEPASS_DIGIT_BITS);
}

/// A word of the workgroup's sums for scratch memory. Carries reduce all digits but a number's highest to about 13
/// bits, so that those of 65535 workgroups can be added.
uint onepass_group_digit(uint word) {
  uint sum = s_sums[word];
  if (word >= ONEPASS_AT_COUNTS) return sum;
  bool whole = word >= ONEPASS_AT_WHOLE;
  uint digits = whole ? ONEPASS_WHOLE_DIGITS : ONEPASS_SUM_DIGITS;
  uint digit = (whole ? word - ONEPASS_AT_WHOLE : word) % digits;
  if (digit != 0u) sum += onepass_carry(s_sums[max(word, 1u) - 1u], whole);
  if (digit + 1u < digits) sum -= onepass_carry(s_sums[word], whole) << ONEPASS_DIGIT_BITS;
  return sum;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LUMINANCE_SUMS_GLSL_
