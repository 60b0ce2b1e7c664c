// luminance_math.glsl: log2 and 2^x by polynomials, sums of pairs of floats, and 64-bit integers in two words.
//
// GLSL guarantees little precision for its own log2 and exp2. The functions here are minimax polynomials: log2 has an
// error of at most 1.3e-7 and is exact for powers of two; exp2 has a relative error of at most 1.2e-7. The CPU version
// is src/image/log2.hpp. Sources: T. J. Dekker, "A floating-point technique for extending the available precision",
// 1971; D. E. Knuth, "The Art of Computer Programming", vol. 2, 4.2.2 (two-sum).
#ifndef ONEPASS_LUMINANCE_MATH_GLSL_
#define ONEPASS_LUMINANCE_MATH_GLSL_

#include "onepass/prelude_types.glsl"
#include "onepass/prelude_names.glsl"

#define ONEPASS_LEAST_NORMAL 1.17549435e-38

/// log2 of a positive normal number, in two parts: the integer `whole`, and the returned fraction, -0.5 to 0.5.
float onepass_log2_parts(float x, ONEPASS_OUT(int) whole) {
  uint bits = onepass_float_bits(x);
  whole = int(bits - 0x3F3504F3u) >> 23;  // x = 2^whole m, with m from sqrt(1/2) to sqrt(2)
  float t = onepass_bits_float(bits - (uint(whole) << 23)) - 1.0;
  float p = -0.1457548886537552;
  p = p * t + 0.23688070476055145;
  p = p * t - 0.25006136298179626;
  p = p * t + 0.286708801984787;
  p = p * t - 0.36008813977241516;
  p = p * t + 0.4809393882751465;
  p = p * t - 0.7213571071624756;
  p = p * t + 1.4426947832107544;
  return p * t;
}

float onepass_log2(float x) {
  int whole;
  float part = onepass_log2_parts(x, whole);
  return float(whole) + part;
}

/// 2^(whole + part), with part within -1/2 and 1/2.
float onepass_exp2_parts(int whole, float part) {
  float p = 0.0001547625579405576;
  p = p * part + 0.0013400234747678041;
  p = p * part + 0.009618003852665424;
  p = p * part + 0.055503278970718384;
  p = p * part + 0.24022650718688965;
  p = p * part + 0.6931471824645996;
  float mantissa = p * part + 1.0;
  int limited = clamp(whole, -252, 254);  // 2^whole as two factors, because 2^128 is no float
  int first = limited >> 1;
  return mantissa * onepass_bits_float(uint(first + 127) << 23) * onepass_bits_float(uint(limited - first + 127) << 23);
}

float onepass_exp2(float x) {
  float limited = clamp(x, -300.0, 300.0);
  float whole = floor(limited + 0.5);
  return onepass_exp2_parts(int(whole), limited - whole);
}

/// Adds two pairs. A pair is a number stored as a float (x) and its rounding error (y).
float2 onepass_sum_pairs(float2 a, float2 b) {
  precise float sum = a.x + b.x;
  precise float of_b = sum - a.x;
  precise float of_a = sum - of_b;
  precise float rest_b = b.x - of_b;
  precise float rest_a = a.x - of_a;
  precise float rest = rest_a + rest_b;
  precise float low = rest + (a.y + b.y);
  precise float high = sum + low;
  precise float left = high - sum;
  precise float lost = low - left;
  return float2(high, lost);
}

/// Adds a float to a pair by compensated summation (W. Kahan, "Further remarks on reducing truncation errors", 1965).
/// Accurate as long as the float is not much larger than the pair.
float2 onepass_add_to_pair(float2 pair, float number) {
  precise float more = number + pair.y;
  precise float sum = pair.x + more;
  precise float added = sum - pair.x;
  precise float rest = more - added;
  return float2(sum, rest);
}

/// Adds 64-bit integers; the lower word is in x.
uint2 onepass_add_wide(uint2 a, uint2 b) {
  uint low = a.x + b.x;
  return uint2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}

/// a - b, for a >= b.
uint2 onepass_subtract_wide(uint2 a, uint2 b) { return uint2(a.x - b.x, a.y - b.y - (a.x < b.x ? 1u : 0u)); }

bool onepass_less_wide(uint2 a, uint2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

/// a * b, for b up to 2^16 - 1 and products below 2^64.
uint2 onepass_scale_wide(uint2 a, uint b) {
  uint low = (a.x & 0xFFFFu) * b;
  uint middle = (a.x >> 16) * b + (low >> 16);  // fits, because b is below 2^16
  return uint2((middle << 16) | (low & 0xFFFFu), a.y * b + (middle >> 16));
}

float onepass_float_wide(uint2 a) { return float(a.y) * 4294967296.0 + float(a.x); }

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LUMINANCE_MATH_GLSL_
