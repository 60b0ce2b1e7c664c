// luminance_meter.glsl: all statistics of an image's luminance in one dispatch that reads it once.
//
// A fixed number of workgroups strides over tiles of 128x16 texels. An invocation has eight texels in flight and keeps
// all sums in registers; histograms are in shared memory, several copies a group. The next tile is under way while one is
// worked on. At its end a group adds its histogram and its sums to the slice's by atomics on whole numbers, which have no
// order, and arrives at a counter. The last to arrive finishes the result (luminance_finish.glsl): the same bits on every
// run.
//
//     tiles 0 1 2 3 4 5 6 ...          group g takes tiles g, g + groups, g + 2 groups, ...
//     +---+---+---+
//     | 0 | 1 | 2 |   a tile: 32x8 invocations, each of which takes 4 columns and 2 rows of texels, 32 and 8 apart
//     +---+---+---+
//
// Sums: eight texels in floats scaled by 2^-32, then pairs of floats that keep what rounding leaves. Logarithms of eight
// texels of equal weight are one logarithm of the product of their mantissas. Counters return to zero.
//
// Define before including:
//     ONEPASS_LUMINANCE_FRAME      1: also maps every texel; see frame_tone_map.glsl. Else 0
//     ONEPASS_LUMINANCE_PASS       0: all of it; 1: the sums; 2: the last group's part, by one group a slice
//     BINS, COPIES, METERING, STATISTIC: constants, best specialization constants: bins counted (256 of a range, or 2048 of
//         1/32 stop from 2^-32 on), the size of shared memory in 2048 words, how pixels are weighted
//         (ONEPASS_LUMINANCE_AVERAGE...), which luminance exposure is for (0 log-average, 1 mean, 2 between percentiles)
//     pc             LuminanceParams
//     ONEPASS_SUBGROUP  1: shuffles, in full subgroups of at least 8; 0: shared memory only
//     onepass_words  uint[]: onepass_luminance_words() a slice, zeroes at first; coherent
//     onepass_results  LuminanceResult[], one a slice
// and these functions:
//     float3 onepass_load_colour(uint2 texel, uint slice)     linear; grey: three times the same
//     uint onepass_load_weight(uint2 texel)                   0 to 255: ONEPASS_LUMINANCE_MASK only
// then call onepass_meter(gl_WorkGroupID) from a main() of 256 invocations, with slices in z.
#ifndef ONEPASS_LUMINANCE_METER_GLSL_
#define ONEPASS_LUMINANCE_METER_GLSL_

#ifndef ONEPASS_LUMINANCE_FRAME
#define ONEPASS_LUMINANCE_FRAME 0
#endif

#if !defined(ONEPASS_LUMINANCE_PASS)
#define ONEPASS_LUMINANCE_PASS 0
#endif
#if ONEPASS_LUMINANCE_PASS < 0 || ONEPASS_LUMINANCE_PASS > 2
#error "luminance_meter: ONEPASS_LUMINANCE_PASS is 0 (one dispatch), 1 or 2 (the first and the second of two)."
#endif
#if ONEPASS_LUMINANCE_FRAME && ONEPASS_LUMINANCE_PASS != 0
#error "luminance_meter: ONEPASS_LUMINANCE_FRAME maps and meters in one dispatch: ONEPASS_LUMINANCE_PASS must be 0."
#endif

#include "onepass/prelude.glsl"
#include "onepass/luminance_math.glsl"
#include "onepass/luminance_params.h"

#define ONEPASS_LUMINANCE_POOL (2048u * COPIES)
#define ONEPASS_LUMINANCE_WAYS (ONEPASS_LUMINANCE_POOL / BINS)  // copies of the histogram

groupshared uint s_pool[ONEPASS_LUMINANCE_POOL];
groupshared uint s_bin_ends[32];
groupshared uint s_arrived;

/// Words of scratch memory of a slice: a counter, sums, the histogram's lower 16 bits and the rest. Groups take turns at
/// ONEPASS_LUMINANCE_COPIES of the sums: fewer atomics meet at a word.
uint onepass_luminance_words() { return ONEPASS_LUMINANCE_BINS_AT + 2u * BINS; }

/// Where word `word` of a group's sums is.
uint onepass_sum_word(uint group, uint word) {
  return ONEPASS_LUMINANCE_SUMS_AT + group % ONEPASS_LUMINANCE_COPIES * ONEPASS_LUMINANCE_COPY_WORDS + word;
}

#define ONEPASS_BINS_OF_LANE (BINS / 256u)

// Pixels weigh 0 to 255: more than 32 bits in all. Else 0 or 1, and weights are counts.
#define ONEPASS_WIDE_WEIGHTS (METERING == ONEPASS_LUMINANCE_CENTRE || METERING == ONEPASS_LUMINANCE_MASK)

/// Where a bin is in scratch memory: bins that lie next to each other are read by one invocation, one after the other.
uint onepass_bin_word(uint bin) { return bin % ONEPASS_BINS_OF_LANE * 256u + bin / ONEPASS_BINS_OF_LANE; }

// ---- Sums
//
// A sum of floats depends on the order of its terms, a sum of whole numbers does not. So the sum of a subgroup is cut into
// digits of 13 bits, three of which hold a float, and digits are added as they come: by atomics in shared memory, then in
// scratch memory. The same bits on every run, and nobody waits for partial sums. Source: R. M. Neal, "Fast Exact Summation
// Using Small and Large Superaccumulators", 2015.
//
// Words: five sums of floats (red, green, blue, luminance, log2's fractions) of 21 digits, the lowest first; digit j of them
// counts 2^(13 j - 153). Three whole numbers (of log2, weight, weight of black) of 4 digits; of the first only unless weights
// are wide. Five counts (finite, NaN, infinite, negative, zero). How far the least luminance is below infinity, in bits; bits
// of the greatest.
#define ONEPASS_DIGIT_BITS 13u
#define ONEPASS_DIGIT_MASK 8191u
#define ONEPASS_SUM_DIGITS 21u
#define ONEPASS_WHOLE_DIGITS 4u
#define ONEPASS_AT_WHOLE 105u
#define ONEPASS_AT_COUNTS 117u
#define ONEPASS_AT_RANGE 122u
#define ONEPASS_SUM_WORDS 124u

groupshared uint s_sums[ONEPASS_SUM_WORDS];

/// Adds a subgroup's sum of floats to the group's.
void onepass_share_float(uint number, float sum) {
  uint exponent = (onepass_float_bits(sum) & 0x7FFFFFFFu) >> 23;
  uint top = min(exponent / ONEPASS_DIGIT_BITS, 18u) + 2u;
  float rest = sum * onepass_bits_float((127u + 153u - ONEPASS_DIGIT_BITS * top) << 23);  // in units of that digit
  ONEPASS_UNROLL for (uint i = 0u; i < 3u; ++i) {
    int digit = int(rest);
    rest = (rest - float(digit)) * 8192.0;
    onepass_shared_add(s_sums[ONEPASS_SUM_DIGITS * number + top - i], uint(digit));
  }
}

/// Adds a whole number to the group's.
void onepass_share_whole(uint number, uint value) {
  uint word = ONEPASS_AT_WHOLE + ONEPASS_WHOLE_DIGITS * number;
  onepass_shared_add(s_sums[word], value & ONEPASS_DIGIT_MASK);
  onepass_shared_add(s_sums[word + 1u], (value >> ONEPASS_DIGIT_BITS) & ONEPASS_DIGIT_MASK);
  onepass_shared_add(s_sums[word + 2u], value >> (2u * ONEPASS_DIGIT_BITS));
}

/// What a digit's sum has for the next digit. Those of floats have signs; what they leave is between -4096 and 4095, so that
/// no large digits of a small number cancel each other.
uint onepass_carry(uint sum, bool whole) {
  return whole ? sum >> ONEPASS_DIGIT_BITS : uint(int(sum + 4096u) >> ONEPASS_DIGIT_BITS);
}

/// A word of the group's sums as it goes to scratch memory: digits of 13 bits again, except the highest of a number, so that
/// those of 65535 groups can be added.
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

// ---- One pixel

/// What an invocation has summed up so far.
struct LuminanceSums {
  float4 block;     // of eight texels: red, green, blue, luminance, scaled
  float fractions;  // of weighted logarithms
  float product;    // of mantissas
  uint whole;       // log2's whole numbers, plus 127 each, weighted
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

#define ONEPASS_SUM_SCALE 2.3283064365386963e-10  // 2^-32

/// Adds to the histogram: neighbours to different copies.
void onepass_add_to_bin(uint bin, uint weight, uint lane) {
  onepass_shared_add(s_pool[bin * ONEPASS_LUMINANCE_WAYS + (lane & (ONEPASS_LUMINANCE_WAYS - 1u))], weight);
}

ONEPASS_TABLE uint onepass_bin_ends[32] = {ONEPASS_LUMINANCE_BIN_ENDS};

/// The bin of a luminance that is not outside of the bins: exactly, with the automatic range. A parabola guesses it, from
/// below and by less than one; src/luminance/bins.hpp is the same.
uint onepass_inner_bin(float luminance) {
  if (BINS == ONEPASS_LUMINANCE_FINE_BINS) {
    uint bits = onepass_float_bits(luminance);
    uint mantissa = (bits & 0x7FFFFFu) | 0x3F800000u;
    float m = onepass_bits_float(mantissa);
    uint guess = uint((m * -8.0 + 56.0) * m - 48.00390625);
    return (bits >> 23) * 32u - 3040u + guess + (mantissa >= s_bin_ends[guess] ? 1u : 0u);
  }
  int whole;
  float part = onepass_log2_parts(luminance, whole);
  float place = ((float(whole) + part) - pc.bin_low) * pc.bin_scale;
  return uint(clamp(place, 0.0, float(BINS - 1u)));
}

// Ordinary luminances: products of four are floats, and so are those of what is a little above them.
#define ONEPASS_LEAST_ORDINARY 4.656612873077393e-10  // 2^-31
#define ONEPASS_MOST_ORDINARY 2147483648.0            // 2^31

// The luminances that have automatic bins of their own: from 2^-32 to the last float below 2^32. Ranges that are given may
// be any.
#define ONEPASS_LEAST_BINNED (BINS == ONEPASS_LUMINANCE_FINE_BINS ? 2.3283064365386963e-10 : ONEPASS_LEAST_NORMAL)
#define ONEPASS_MOST_BINNED (BINS == ONEPASS_LUMINANCE_FINE_BINS ? 4294967040.0 : 3.402823466e38)

/// Of a luminance above 0.
void onepass_count_bin(float luminance, uint weight, uint lane) {
  uint bin = onepass_inner_bin(clamp(luminance, ONEPASS_LEAST_BINNED, ONEPASS_MOST_BINNED));
  onepass_add_to_bin(bin, weight, lane);
}

/// Is a pixel metered? Counts those that are not as they should be; `luminance` becomes 0 or more.
bool onepass_sort_out(inout LuminanceSums sums, float3 colour, inout float luminance, uint weight) {
  uint3 bits = uint3(onepass_float_bits(colour.r), onepass_float_bits(colour.g), onepass_float_bits(colour.b)) &
               0x7FFFFFFFu;
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

void onepass_add_pixel(inout LuminanceSums sums, float3 colour, uint weight, uint lane) {
  float luminance = colour.r * pc.red + colour.g * pc.green + colour.b * pc.blue;
  bool metered = weight != 0u;
  // Neither 0 nor negative, infinite or NaN: one comparison for the usual pixel.
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

// ---- An invocation

uint onepass_weight(uint2 texel, uint2 size) {
  if (METERING == ONEPASS_LUMINANCE_AVERAGE) return 1u;
  if (METERING == ONEPASS_LUMINANCE_MASK) {
    return onepass_load_weight(min(texel, size - 1u) + uint2(pc.origin & 0xFFFFu, pc.origin >> 16));
  }
  // No fused operations: the CPU computes the same bits.
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

/// Sums of all blocks of eight texels: pairs of floats.
struct LuminancePairs {
  float2 red;
  float2 green;
  float2 blue;
  float2 bright;
  float2 logs;
};

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
void onepass_add_block(inout LuminancePairs pairs, float4 block, float logs) {
  pairs.red = onepass_add_to_pair(pairs.red, block.r);
  pairs.green = onepass_add_to_pair(pairs.green, block.g);
  pairs.blue = onepass_add_to_pair(pairs.blue, block.b);
  pairs.bright = onepass_add_to_pair(pairs.bright, block.a);
  pairs.logs = onepass_add_to_pair(pairs.logs, logs);
}

/// Moves what eight texels summed up to the pairs.
void onepass_close_block(inout LuminanceSums sums, inout LuminancePairs pairs) {
  if (METERING == ONEPASS_LUMINANCE_AVERAGE) {
    int whole;
    sums.fractions = onepass_log2_parts(sums.product, whole);
    sums.whole += uint(whole);  // of 1 or more: not negative
  }
  onepass_add_block(pairs, sums.block, sums.fractions);
  sums.block = float4(0.0, 0.0, 0.0, 0.0);
  sums.fractions = 0.0;
  sums.product = 1.0;
}

/// The bits of a mantissa, as a float of 1 to 2.
float onepass_mantissa(float value) {
  return onepass_bits_float((onepass_float_bits(value) & 0x7FFFFFu) | 0x3F800000u);
}

/// Eight texels of weight 1, taken for ordinary ones: finite, of a luminance that has a bin and whose product with three
/// others is a float. False: one was not, and nothing is added.
bool onepass_add_ordinary(inout LuminanceSums sums, inout LuminancePairs pairs,
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
  // What is not finite shows in the sum.
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
  // Each pixel's whole number counts plus 127; these two are of four pixels.
  sums.whole += (onepass_float_bits(first) >> 23) + (onepass_float_bits(second) >> 23) +
                (ONEPASS_LUMINANCE_READS - 2u) * 127u + uint(whole);
  onepass_add_block(pairs, float4(total, total.r * pc.red + total.g * pc.green + total.b * pc.blue), logs);
  uint bins[ONEPASS_LUMINANCE_READS];  // all before the first is counted, or each would wait for the count before
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) bins[i] = onepass_inner_bin(luminances[i]);
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) onepass_add_to_bin(bins[i], 1u, lane);
  return true;
}

/// What an invocation has summed up.
struct LuminanceShare {
  float sums[5];
  uint finite;
  uint whole;
  uint low;   // how far below infinity, in bits
  uint high;  // in bits
  uint weight;
  uint zero_weight;
  uint4 odd;  // NaN, infinite, negative, zero
};

LuminanceShare onepass_share_of(LuminanceSums sums, LuminancePairs pairs) {
  LuminanceShare share;
  share.sums[0] = pairs.red.x;
  share.sums[1] = pairs.green.x;
  share.sums[2] = pairs.blue.x;
  share.sums[3] = pairs.bright.x;
  share.sums[4] = pairs.logs.x;
  share.finite = sums.finite;
  share.whole = sums.whole;
  share.low = 0x7F800000u - onepass_float_bits(sums.low);
  share.high = onepass_float_bits(sums.high);
  share.weight = sums.weight;
  share.zero_weight = sums.zero_weight;
  share.odd = uint4(sums.nan, sums.infinite, sums.negative, sums.zero);
  return share;
}

/// Adds it to the group's sums.
void onepass_join_share(LuminanceShare share) {
  // Most of these are 0.
  ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) {
    if (share.odd[i] != 0u) onepass_shared_add(s_sums[ONEPASS_AT_COUNTS + 1u + i], share.odd[i]);
  }
  if (ONEPASS_WIDE_WEIGHTS) {  // what a subgroup has might not fit a word
    onepass_share_whole(0u, share.whole);
    onepass_share_whole(1u, share.weight);
    onepass_share_whole(2u, share.zero_weight);
  }
#if ONEPASS_SUBGROUP
  // All items at a time: none waits for another.
  for (uint apart = 1u; apart < onepass_subgroup_size(); apart <<= 1) {
    ONEPASS_UNROLL for (uint i = 0u; i < 5u; ++i) share.sums[i] += onepass_shuffle_xor(share.sums[i], apart);
    share.finite += onepass_shuffle_xor(share.finite, apart);
    if (!ONEPASS_WIDE_WEIGHTS) share.whole += onepass_shuffle_xor(share.whole, apart);
    share.low = max(share.low, onepass_shuffle_xor(share.low, apart));
    share.high = max(share.high, onepass_shuffle_xor(share.high, apart));
  }
  uint member = onepass_lane_index() % onepass_subgroup_size();
  float sum = share.sums[0];  // one of the five for each of five lanes: their digits take long
  ONEPASS_UNROLL for (uint i = 1u; i < 5u; ++i) sum = member == i ? share.sums[i] : sum;
  if (member < 5u) onepass_share_float(member, sum);
  if (member != 0u) return;
#else
  ONEPASS_UNROLL for (uint i = 0u; i < 5u; ++i) onepass_share_float(i, share.sums[i]);
#endif
  onepass_shared_add(s_sums[ONEPASS_AT_COUNTS], share.finite);
  if (!ONEPASS_WIDE_WEIGHTS) onepass_shared_add(s_sums[ONEPASS_AT_WHOLE], share.whole);
  onepass_shared_max(s_sums[ONEPASS_AT_RANGE], share.low);
  onepass_shared_max(s_sums[ONEPASS_AT_RANGE + 1u], share.high);
}

/// The place of an invocation's first texel in a tile: 32 lanes read 8x4 texels.
uint2 onepass_in_tile(uint lane) {
  return uint2((lane & 7u) + ((lane >> 5) & 3u) * 8u, ((lane >> 3) & 3u) + (lane >> 7) * 4u);
}

/// The texels of an invocation.
struct LuminanceTexels {
  float3 colours[ONEPASS_LUMINANCE_READS];
};

/// An invocation's first texel of a tile.
uint2 onepass_first_texel(uint tile, uint2 in_tile) {
  return uint2(tile % pc.tiles_x * ONEPASS_LUMINANCE_TILE_WIDTH, tile / pc.tiles_x * ONEPASS_LUMINANCE_TILE_HEIGHT) +
         in_tile;
}

/// And texel `i` of its eight.
uint2 onepass_texel_of(uint2 first, uint i) { return first + uint2((i & 3u) * 32u, (i >> 2) * 8u); }

#if ONEPASS_LUMINANCE_FRAME
#include "onepass/frame_tone_map.glsl"
#else
LuminanceTexels onepass_load_tile(uint2 first, uint2 size, uint slice) {
  LuminanceTexels texels;
  uint2 origin = uint2(pc.origin & 0xFFFFu, pc.origin >> 16);
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
    uint2 texel = min(onepass_texel_of(first, i), size - 1u);
    texels.colours[i] = onepass_load_colour(texel + origin, slice);
  }
  return texels;
}

/// Everything that falls to one invocation. The next tile is under way while one is worked on.
LuminanceShare onepass_meter_tiles(uint group, uint slice, uint lane) {
  LuminanceSums sums = onepass_no_sums();
  LuminancePairs pairs = onepass_no_pairs();
  uint2 size = uint2(pc.size & 0xFFFFu, pc.size >> 16);
  uint tiles = pc.tiles_x * ((size.y + ONEPASS_LUMINANCE_TILE_HEIGHT - 1u) / ONEPASS_LUMINANCE_TILE_HEIGHT);
  uint2 in_tile = onepass_in_tile(lane);
  uint2 next_first = onepass_first_texel(group, in_tile);
  LuminanceTexels next = onepass_load_tile(next_first, size, slice);
  for (uint tile = group; tile < tiles; tile += pc.groups) {
    uint2 first = next_first;
    LuminanceTexels texels = next;
    next_first = onepass_first_texel(min(tile + pc.groups, tiles - 1u), in_tile);
    next = onepass_load_tile(next_first, size, slice);
    bool inside = first.x + 96u < size.x && first.y + 8u < size.y;
    bool done = false;
    if (METERING == ONEPASS_LUMINANCE_AVERAGE && inside) {
      done = onepass_add_ordinary(sums, pairs, texels.colours, lane);
    }
    if (!done) {
      ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
        uint2 texel = onepass_texel_of(first, i);
        bool exists = texel.x < size.x && texel.y < size.y;
        onepass_add_pixel(sums, texels.colours[i], exists ? onepass_weight(texel, size) : 0u, lane);
      }
      onepass_close_block(sums, pairs);
    }
  }
  return onepass_share_of(sums, pairs);
}
#endif

// ---- A group

/// Makes bins and sums empty.
void onepass_clear_group(uint lane) {
  for (uint i = lane; i < ONEPASS_LUMINANCE_POOL; i += 256u) s_pool[i] = 0u;
  if (lane < 32u) s_bin_ends[lane] = onepass_bin_ends[lane];
  if (lane < ONEPASS_SUM_WORDS) s_sums[lane] = 0u;
}

/// Adds the group's histogram to the slice's: where weights are wide, 16 bits and the rest apart, and neither overflows.
void onepass_flush_histogram(uint base, uint lane) {
  uint weights[ONEPASS_LUMINANCE_FINE_BINS / 256];  // all read before the first is added
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    weights[i] = 0u;
    if (i < ONEPASS_BINS_OF_LANE) {
      uint first = (i * 256u + lane) * ONEPASS_LUMINANCE_WAYS;
      for (uint way = 0u; way < ONEPASS_LUMINANCE_WAYS; ++way) weights[i] += s_pool[first + way];
    }
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    uint low = ONEPASS_WIDE_WEIGHTS ? weights[i] & 0xFFFFu : weights[i];
    uint high = weights[i] >> 16;
    uint word = base + ONEPASS_LUMINANCE_BINS_AT + onepass_bin_word(i * 256u + lane);
    if (low != 0u) onepass_atomic_add(onepass_words[word], low);
    if (ONEPASS_WIDE_WEIGHTS && high != 0u) onepass_atomic_add(onepass_words[word + BINS], high);
  }
}

/// Adds the group's sums to the slice's.
void onepass_flush_sums(uint base, uint group, uint lane) {
  if (lane >= ONEPASS_SUM_WORDS) return;
  uint word = base + onepass_sum_word(group, lane);
  uint sum = onepass_group_digit(lane);
  if (lane < ONEPASS_AT_RANGE) {
    if (sum != 0u) onepass_atomic_add(onepass_words[word], sum);
  } else {
    onepass_atomic_max(onepass_words[word], sum);
  }
}

/// The first part: tiles to the slice's histogram and sums.
void onepass_meter_group(uint group, uint slice, uint base, uint lane) {
  onepass_clear_group(lane);
  onepass_group_barrier();  // bins and sums are empty
  LuminanceShare share = onepass_meter_tiles(group, slice, lane);
  onepass_group_barrier();  // all pixels are in bins
  onepass_flush_histogram(base, lane);
  onepass_join_share(share);  // while atomics are under way
  onepass_group_barrier();    // all sums are there
  onepass_flush_sums(base, group, lane);
}

/// Is this the last group of its slice to come here? If so, it sees what the others wrote before they came.
bool onepass_arrive(uint base, uint lane) {
  onepass_hand_over_barrier();  // all invocations have written
  if (lane == 0u) {
    onepass_release();
    onepass_atomic_add_before(onepass_words[base], 1u, s_arrived);
    onepass_acquire();
  }
  onepass_hand_over_barrier();  // all know, and see what invocation 0 has acquired
  return s_arrived + 1u == pc.groups;
}

#if ONEPASS_LUMINANCE_PASS != 1
#include "onepass/luminance_finish.glsl"
#endif

/// The kernel.
void onepass_meter(uint3 group) {
  uint lane = onepass_invocation_index();
  uint base = group.z * onepass_luminance_words();
#if ONEPASS_LUMINANCE_PASS == 0
  onepass_meter_group(group.x, group.z, base, lane);
  if (onepass_arrive(base, lane)) onepass_finish_meter(group.z, base, lane);
#elif ONEPASS_LUMINANCE_PASS == 1
  onepass_meter_group(group.x, group.z, base, lane);
#else
  onepass_finish_meter(group.z, base, lane);
#endif
}

#endif  // ONEPASS_LUMINANCE_METER_GLSL_
