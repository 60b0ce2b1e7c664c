// luminance_pixels.glsl: adds pixels to the sums of an invocation and to the histogram: one pixel of any kind and
// weight, or eight ordinary pixels at once. Part of luminance_meter.glsl. CPU versions: src/luminance/row_meter.cpp,
// weights.hpp.
//
// Eight texels are summed in floats, scaled by 2^-32, and these sums in pairs of floats that keep the rounding error.
// Eight texels of equal weight take one logarithm, of the product of their mantissas.
#ifndef ONEPASS_LUMINANCE_PIXELS_GLSL_
#define ONEPASS_LUMINANCE_PIXELS_GLSL_

#include "onepass/prelude_names.glsl"

/// The running sums of an invocation.
struct LuminanceSums {
  float4 block;     // sums of at most eight texels: red, green, blue, luminance, scaled
  float fractions;  // weighted sum of the fractions of their log2
  float product;    // of their mantissas
  uint whole;       // weighted sum of the integer parts of log2, plus 127 each
  uint weight;
  uint zero_weight;
  uint finite;
  uint nan;
  uint infinite;
  uint negative;
  uint zero;
  float low;
  float high;
};

/// Sums over all blocks of eight texels, as pairs of floats: a sum and its rounding error.
struct LuminancePairs {
  float2 red;
  float2 green;
  float2 blue;
  float2 bright;
  float2 logs;
};

#define ONEPASS_SUM_SCALE 2.3283064365386963e-10  // 2^-32

// ---- One pixel

/// Whether a pixel is metered. Counts NaN, infinite, zero and negative pixels; clamps `luminance` to 0 or more.
bool onepass_sort_out(ONEPASS_INOUT(LuminanceSums) sums, float3 colour, ONEPASS_INOUT(float) luminance, uint weight) {
  uint3 bits =
      uint3(onepass_float_bits(colour.r), onepass_float_bits(colour.g), onepass_float_bits(colour.b)) & 0x7FFFFFFFu;
  uint largest = max(max(bits.x, bits.y), bits.z);
  if (weight == 0u) return false;
  if (largest > 0x7F800000u) {
    sums.nan += 1u;
    return false;
  }
  if (largest == 0x7F800000u) {
    sums.infinite += 1u;
    return false;
  }
  uint sign = onepass_float_bits(luminance);
  if ((sign & 0x7FFFFFFFu) == 0u) {
    sums.zero += 1u;
    sums.zero_weight += weight;
    luminance = 0.0;
  } else if ((sign & 0x80000000u) != 0u) {
    sums.negative += 1u;
    sums.zero_weight += weight;
    luminance = 0.0;
  } else {
    luminance = min(luminance, 3.402823466e38);
  }
  return true;
}

void onepass_add_pixel(ONEPASS_INOUT(LuminanceSums) sums, float3 colour, uint weight, uint lane) {
  float luminance = colour.r * pc.red + colour.g * pc.green + colour.b * pc.blue;
  bool metered = weight != 0u;
  // Positive and finite: one comparison.
  bool usual = onepass_float_bits(luminance) - 1u < 0x7F7FFFFFu;
  if (!(metered && usual)) metered = onepass_sort_out(sums, colour, luminance, weight);
  if (!metered) return;
  float scale = METERING == ONEPASS_LUMINANCE_AVERAGE ? ONEPASS_SUM_SCALE : ONEPASS_SUM_SCALE * float(weight);
  sums.block += float4(colour, luminance) * scale;
  sums.finite += 1u;
  sums.weight += weight;
  sums.low = min(sums.low, luminance);
  sums.high = max(sums.high, luminance);
  float argument = max(luminance + pc.delta, ONEPASS_LEAST_NORMAL);
  if (METERING == ONEPASS_LUMINANCE_AVERAGE) {
    uint bits = onepass_float_bits(argument);
    sums.whole += bits >> 23;
    sums.product *= onepass_bits_float((bits & 0x7FFFFFu) | 0x3F800000u);
  } else {
    int whole;
    sums.fractions += onepass_log2_parts(argument, whole) * float(weight);
    sums.whole += uint(whole + 127) * weight;
  }
  if (luminance > 0.0) onepass_count_bin(luminance, weight, lane);
}

// ---- The weight of a pixel

uint onepass_weight(uint2 texel, uint2 size) {
  if (METERING == ONEPASS_LUMINANCE_AVERAGE) return 1u;
  if (METERING == ONEPASS_LUMINANCE_MASK) {
    return onepass_load_weight(min(texel, size - 1u) + uint2(pc.origin & 0xFFFFu, pc.origin >> 16));
  }
  // `precise` prevents fused operations, so that the CPU computes the same bits.
  precise float x = (float(texel.x) - pc.centre_x) * pc.inverse_radius_x;
  precise float y = (float(texel.y) - pc.centre_y) * pc.inverse_radius_y;
  precise float xx = x * x;
  precise float yy = y * y;
  precise float distance = xx + yy;
  if (METERING == ONEPASS_LUMINANCE_SPOT) return distance <= 1.0 ? 1u : 0u;
  precise float rest = max(1.0 - distance, 0.0);
  precise float squared = rest * rest;
  precise float code = squared * 255.0;
  precise float rounded = code + 0.5;
  return uint(rounded);
}

// ---- Blocks of eight pixels

LuminanceSums onepass_no_sums() {
  LuminanceSums sums;
  sums.block = float4(0.0, 0.0, 0.0, 0.0);
  sums.fractions = 0.0;
  sums.product = 1.0;
  sums.whole = 0u;
  sums.weight = 0u;
  sums.zero_weight = 0u;
  sums.finite = 0u;
  sums.nan = 0u;
  sums.infinite = 0u;
  sums.negative = 0u;
  sums.zero = 0u;
  sums.low = onepass_bits_float(0x7F800000u);
  sums.high = 0.0;
  return sums;
}

LuminancePairs onepass_no_pairs() {
  LuminancePairs pairs;
  pairs.red = float2(0.0, 0.0);
  pairs.green = float2(0.0, 0.0);
  pairs.blue = float2(0.0, 0.0);
  pairs.bright = float2(0.0, 0.0);
  pairs.logs = float2(0.0, 0.0);
  return pairs;
}

/// Adds the sums of eight texels to the pairs.
void onepass_add_block(ONEPASS_INOUT(LuminancePairs) pairs, float4 block, float logs) {
  pairs.red = onepass_add_to_pair(pairs.red, block.r);
  pairs.green = onepass_add_to_pair(pairs.green, block.g);
  pairs.blue = onepass_add_to_pair(pairs.blue, block.b);
  pairs.bright = onepass_add_to_pair(pairs.bright, block.a);
  pairs.logs = onepass_add_to_pair(pairs.logs, logs);
}

/// Adds the sums of a block of eight texels to the pairs, and resets the block.
void onepass_close_block(ONEPASS_INOUT(LuminanceSums) sums, ONEPASS_INOUT(LuminancePairs) pairs) {
  if (METERING == ONEPASS_LUMINANCE_AVERAGE) {
    int whole;
    sums.fractions = onepass_log2_parts(sums.product, whole);
    sums.whole += uint(whole);  // the product is at least 1: not negative
  }
  onepass_add_block(pairs, sums.block, sums.fractions);
  sums.block = float4(0.0, 0.0, 0.0, 0.0);
  sums.fractions = 0.0;
  sums.product = 1.0;
}

/// The mantissa of a positive normal float, 1 to 2.
float onepass_mantissa(float value) {
  return onepass_bits_float((onepass_float_bits(value) & 0x7FFFFFu) | 0x3F800000u);
}

// Ordinary luminances, `delta` included: the product of four of them is a normal float.
#define ONEPASS_LEAST_ORDINARY 4.656612873077393e-10  // 2^-31
#define ONEPASS_MOST_ORDINARY 2147483648.0            // 2^31

/// Adds eight texels of weight 1 if all are finite and of ordinary luminance. Otherwise returns false and adds nothing.
bool onepass_add_ordinary(ONEPASS_INOUT(LuminanceSums) sums, ONEPASS_INOUT(LuminancePairs) pairs,
                          float3 colours[ONEPASS_LUMINANCE_READS], uint lane) {
  float luminances[ONEPASS_LUMINANCE_READS];
  float3 total = float3(0.0, 0.0, 0.0);
  float low = onepass_bits_float(0x7F800000u);
  float high = 0.0;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
    luminances[i] = colours[i].r * pc.red + colours[i].g * pc.green + colours[i].b * pc.blue;
    low = min(low, luminances[i]);
    high = max(high, luminances[i]);
    total += colours[i] * ONEPASS_SUM_SCALE;
  }
  // A NaN or an infinity in any channel makes the sum NaN or infinite.
  bool finite = (onepass_float_bits(total.r + total.g + total.b) & 0x7F800000u) != 0x7F800000u;
  if (!(finite && low >= ONEPASS_LEAST_ORDINARY && high + pc.delta <= ONEPASS_MOST_ORDINARY)) return false;
  sums.finite += ONEPASS_LUMINANCE_READS;
  sums.weight += ONEPASS_LUMINANCE_READS;
  sums.low = min(sums.low, low);
  sums.high = max(sums.high, high);
  float first = 1.0;
  float second = 1.0;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS / 2; ++i) {
    first *= luminances[i] + pc.delta;
    second *= luminances[i + ONEPASS_LUMINANCE_READS / 2] + pc.delta;
  }
  int whole;
  float logs = onepass_log2_parts(onepass_mantissa(first) * onepass_mantissa(second), whole);
  // The sum contains 127 for each of the eight pixels; the exponents of the two products contribute two.
  sums.whole += (onepass_float_bits(first) >> 23) + (onepass_float_bits(second) >> 23) +
                (ONEPASS_LUMINANCE_READS - 2u) * 127u + uint(whole);
  onepass_add_block(pairs, float4(total, total.r * pc.red + total.g * pc.green + total.b * pc.blue), logs);
  uint bins[ONEPASS_LUMINANCE_READS];  // all computed before the first is counted: atomics would delay the rest
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) bins[i] = onepass_inner_bin(luminances[i]);
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) onepass_add_to_bin(bins[i], 1u, lane);
  return true;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LUMINANCE_PIXELS_GLSL_
