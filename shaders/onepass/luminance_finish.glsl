// luminance_finish.glsl: one workgroup computes a slice's LuminanceResult from scratch memory, and zeroes that. Part of
// luminance_meter.glsl. CPU version: src/luminance/finish.cpp.
//
//     sums of digits -> items: sums as floats and 64-bit integers     here
//     counted bins   -> histogram, percentiles, clipped mean          luminance_percentiles.glsl
//     all of these   -> means, adaptation, exposure                   luminance_exposure.glsl
#ifndef ONEPASS_LUMINANCE_FINISH_GLSL_
#define ONEPASS_LUMINANCE_FINISH_GLSL_

// The slice's sums in their final form, two words each. Items 0 to 4 are floats: red, green, blue, luminance, fractions
// of log2. Items 5 to 7 are 64-bit integers: integer parts of log2, weight, weight of luminance 0.
#define ONEPASS_ITEM_LOG 4u
#define ONEPASS_ITEM_WHOLE 5u
#define ONEPASS_ITEM_WEIGHT 6u
#define ONEPASS_ITEM_ZERO_WEIGHT 7u
#define ONEPASS_ITEMS 8u
groupshared uint s_items[2 * ONEPASS_ITEMS];

/// An invocation's share of the slice's scratch memory.
struct LuminanceTaken {
  uint bins[ONEPASS_MOST_BINS_OF_LANE];  // first words of its ONEPASS_BINS_OF_LANE bins
  uint rest[ONEPASS_MOST_BINS_OF_LANE];  // second words, where weights are wide: in units of 2^16
  uint sums[ONEPASS_LUMINANCE_COPIES];   // one word of the sums, of each copy
};

/// Reads all of an invocation's share before any of it is used, and leaves zeroes.
LuminanceTaken onepass_take(uint base, uint lane) {
  LuminanceTaken taken;
  uint first = base + ONEPASS_LUMINANCE_BINS_AT + lane;
  uint sum_lane = min(lane, ONEPASS_SUM_WORDS - 1u);
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_COPIES; ++i) {
    taken.sums[i] = onepass_words[base + onepass_sum_word(i, sum_lane)];
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    taken.bins[i] = 0u;
    taken.rest[i] = 0u;
    if (i < ONEPASS_BINS_OF_LANE) {
      taken.bins[i] = onepass_words[first + i * ONEPASS_LUMINANCE_GROUP];
      if (ONEPASS_WIDE_WEIGHTS) taken.rest[i] = onepass_words[first + i * ONEPASS_LUMINANCE_GROUP + BINS];
    }
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_COPIES; ++i) {
    if (lane < ONEPASS_SUM_WORDS) onepass_words[base + onepass_sum_word(i, lane)] = 0u;
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    if (i < ONEPASS_BINS_OF_LANE) {
      onepass_words[first + i * ONEPASS_LUMINANCE_GROUP] = 0u;
      if (ONEPASS_WIDE_WEIGHTS) onepass_words[first + i * ONEPASS_LUMINANCE_GROUP + BINS] = 0u;
    }
  }
  return taken;
}

// Float sums with wide weights are scaled by 2^-8: a sum of the largest floats, weighted by 255, would overflow.
#define ONEPASS_WIDE_SHIFT (ONEPASS_WIDE_WEIGHTS ? 8u : 0u)

/// Joins copies of an invocation's word of the sums in s_sums. A digit of a float sum becomes a float times its unit.
void onepass_set_sum(LuminanceTaken taken, uint lane) {
  if (lane >= ONEPASS_SUM_WORDS) return;
  uint sum = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_COPIES; ++i) {
    sum = lane < ONEPASS_AT_RANGE ? sum + taken.sums[i] : max(sum, taken.sums[i]);
  }
  if (lane < ONEPASS_AT_WHOLE) {
    uint digit = lane % ONEPASS_SUM_DIGITS;
    // The unit of digit j is 2^(13 j - 153). The lowest three are below the normal floats: these digits become 0.
    uint exponent = digit < 3u ? 0u : ONEPASS_DIGIT_BITS * digit + 127u - 153u - ONEPASS_WIDE_SHIFT;
    sum = onepass_float_bits(float(int(sum)) * onepass_bits_float(exponent << 23));
  }
  s_sums[lane] = sum;
}

/// Float sum `number`, from its digits.
float onepass_float_of_digits(uint number) {
  float sum = 0.0;
  ONEPASS_UNROLL for (uint digit = 3u; digit < ONEPASS_SUM_DIGITS; ++digit) {
    sum += onepass_bits_float(s_sums[ONEPASS_SUM_DIGITS * number + digit]);
  }
  return sum;
}

/// Integer sum `number`, from its digits.
uint2 onepass_whole_of_digits(uint number) {
  uint2 sum = uint2(0u, 0u);
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_WHOLE_DIGITS; ++i) {
    uint digit = s_sums[ONEPASS_AT_WHOLE + ONEPASS_WHOLE_DIGITS * number + i];
    uint shift = ONEPASS_DIGIT_BITS * i;
    sum = onepass_add_wide(sum, shift < 32u ? uint2(digit << shift, shift == 0u ? 0u : digit >> (32u - shift))
                                            : uint2(0u, digit << (shift - 32u)));
  }
  return sum;
}

/// Writes item `item`, from s_sums.
void onepass_make_item(uint item) {
  uint2 words;
  if (item < ONEPASS_ITEM_WHOLE) {
    words = uint2(onepass_float_bits(onepass_float_of_digits(item)), 0u);
  } else if (ONEPASS_WIDE_WEIGHTS || item == ONEPASS_ITEM_WHOLE) {
    words = onepass_whole_of_digits(item - ONEPASS_ITEM_WHOLE);
  } else if (item == ONEPASS_ITEM_WEIGHT) {
    words = uint2(s_sums[ONEPASS_AT_COUNTS], 0u);
  } else {
    words = uint2(s_sums[ONEPASS_AT_COUNTS + 3u] + s_sums[ONEPASS_AT_COUNTS + 4u], 0u);
  }
  s_items[2u * item] = words.x;
  s_items[2u * item + 1u] = words.y;
}

uint2 onepass_item(uint i) { return uint2(s_items[2u * i], s_items[2u * i + 1u]); }
float onepass_item_sum(uint i) { return onepass_bits_float(s_items[2u * i]); }
uint onepass_count(uint i) { return s_sums[ONEPASS_AT_COUNTS + i]; }
float onepass_least() { return onepass_bits_float(0x7F800000u - s_sums[ONEPASS_AT_RANGE]); }
float onepass_most() { return onepass_bits_float(s_sums[ONEPASS_AT_RANGE + 1u]); }

#include "onepass/luminance_percentiles.glsl"
#include "onepass/luminance_exposure.glsl"
#include "onepass/prelude_names.glsl"

// The invocation that writes the result, in another subgroup than the writers of percentiles.
#define ONEPASS_RESULT_LANE 128u

/// Stage 6; `base` is the first word of the slice's scratch memory.
void onepass_finish_meter(uint slice, uint base, uint lane) {
  if (lane == 0u) {
    s_first_bin = BINS;
    s_end_bin = 0u;
    onepass_atomic_store(onepass_words[base], 0u);  // the counter, for the next dispatch
  }
  LuminanceTaken taken = onepass_take(base, lane);
  onepass_set_sum(taken, lane);
  onepass_finish_histogram(slice, onepass_bins_of(taken), lane);
  if (lane == ONEPASS_RESULT_LANE) onepass_write_result(slice);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LUMINANCE_FINISH_GLSL_
