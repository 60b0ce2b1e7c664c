// luminance_meter.glsl: all statistics of an image's luminance in one dispatch that reads it once.
//
// A fixed number of workgroups strides over tiles of 128x16 texels. An invocation has eight texels in flight and keeps
// all sums in registers; histograms are in shared memory, several copies a group. The next tile is under way while one is
// worked on. At its end a group adds its histogram to the slice's by atomics on whole numbers, which have no order,
// leaves one partial sum of everything else, and arrives at a counter. The last to arrive adds the partial sums up in the
// order of their numbers and finishes the result (luminance_finish.glsl): the same bits on every run.
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
//     ONEPASS_LUMINANCE_PASS       0: all of it; 1: the partial sums; 2: the last group's part, by one group a slice
//     BINS, COPIES, METERING, STATISTIC: constants, best specialization constants: bins counted (256 of a range, or 2048 of
//         1/32 stop from 2^-32 on), the size of shared memory in 2048 words, how pixels are weighted
//         (ONEPASS_LUMINANCE_AVERAGE...), which luminance exposure is for (0 log-average, 1 mean, 2 between percentiles)
//     pc             LuminanceParams
//     onepass_words  uint[]: onepass_luminance_words(pc.groups) a slice, zeroes at first; coherent
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
groupshared uint s_items[2 * ONEPASS_LUMINANCE_ITEMS];
groupshared uint s_arrived;

/// Words of scratch memory of a slice: a counter, the histogram's lower 16 bits and the rest, partial sums: word i of all
/// groups, then word i + 1.
uint onepass_luminance_words(uint groups) { return 4u + 2u * BINS + 2u * ONEPASS_LUMINANCE_ITEMS * groups; }

#define ONEPASS_BINS_OF_LANE (BINS / 256u)

/// Where a bin is in scratch memory: bins that lie next to each other are read by one invocation, one after the other.
uint onepass_bin_word(uint bin) { return bin % ONEPASS_BINS_OF_LANE * 256u + bin / ONEPASS_BINS_OF_LANE; }

/// What an invocation, a group and in the end the slice have summed up: pairs of words, see onepass_join.
struct LuminanceItems {
  uint2 items[ONEPASS_LUMINANCE_ITEMS];
};

// Items 0 to 4: red, green, blue, luminance, log2's fractions: pairs of floats. 5 to 7: log2's whole numbers, weight,
// weight of black: 64 bits. 8 to 10: finite and NaN, infinite and negative, zero: counts. 11: bits of min and max. Those from
// 8 on a group joins by atomics, in any order.
#define ONEPASS_ITEM_LOG 4
#define ONEPASS_ITEM_WHOLE 5
#define ONEPASS_ITEM_WEIGHT 6
#define ONEPASS_ITEM_ZERO_WEIGHT 7
#define ONEPASS_ITEM_COUNTS 8
#define ONEPASS_ITEM_RANGE 11

uint2 onepass_nothing(uint item) { return item == ONEPASS_ITEM_RANGE ? uint2(0x7F800000u, 0u) : uint2(0u, 0u); }

uint2 onepass_join(uint item, uint2 a, uint2 b) {
  if (item <= ONEPASS_ITEM_LOG) {
    float2 sum = onepass_sum_pairs(float2(onepass_bits_float(a.x), onepass_bits_float(a.y)),
                                   float2(onepass_bits_float(b.x), onepass_bits_float(b.y)));
    return uint2(onepass_float_bits(sum.x), onepass_float_bits(sum.y));
  }
  if (item < ONEPASS_ITEM_COUNTS) return onepass_add_wide(a, b);
  if (item < ONEPASS_ITEM_RANGE) return a + b;
  return uint2(min(a.x, b.x), max(a.y, b.y));
}

/// Eight pairs of words.
struct LuminanceEight {
  uint2 of[8];
};

/// Joins eight items of the kind of `item`, a constant. In pairs, then fours, then all: none waits long for another.
uint2 onepass_join_tree(const uint item, LuminanceEight items) {
  ONEPASS_UNROLL for (uint apart = 1u; apart < 8u; apart <<= 1u) {
    ONEPASS_UNROLL for (uint i = 0u; i < 8u; i += 2u * apart) {
      items.of[i] = onepass_join(item, items.of[i], items.of[i + apart]);
    }
  }
  return items.of[0];
}

/// Joins eight items in shared memory, `count` of them, `stride` words apart: sums.
uint2 onepass_join_eight(uint item, uint at, uint stride, uint count) {
  LuminanceEight items;
  ONEPASS_UNROLL for (uint i = 0u; i < 8u; ++i) {
    uint place = at + min(i, count - 1u) * stride;
    uint2 read = uint2(s_pool[place], s_pool[256u + place]);
    items.of[i] = i < count ? read : onepass_nothing(item);
  }
  if (item <= ONEPASS_ITEM_LOG) return onepass_join_tree(ONEPASS_ITEM_LOG, items);
  return onepass_join_tree(ONEPASS_ITEM_WHOLE, items);
}

/// Makes the counts and the range of s_items those of nothing.
void onepass_clear_counts(uint lane) {
  if (lane < 8u) {
    s_items[2u * ONEPASS_ITEM_COUNTS + lane] = lane == 6u ? onepass_nothing(ONEPASS_ITEM_RANGE).x : 0u;
  }
}

/// Adds an invocation's to them. Most counts are 0.
void onepass_join_counts(LuminanceItems mine) {
  ONEPASS_UNROLL for (uint i = ONEPASS_ITEM_COUNTS; i < ONEPASS_ITEM_RANGE; ++i) {
    if (mine.items[i].x != 0u) onepass_shared_add(s_items[2u * i], mine.items[i].x);
    if (mine.items[i].y != 0u) onepass_shared_add(s_items[2u * i + 1u], mine.items[i].y);
  }
  onepass_shared_min(s_items[2u * ONEPASS_ITEM_RANGE], mine.items[ONEPASS_ITEM_RANGE].x);
  onepass_shared_max(s_items[2u * ONEPASS_ITEM_RANGE + 1u], mine.items[ONEPASS_ITEM_RANGE].y);
}

/// Joins the sums of all invocations into s_items. Uses s_pool; the group must be done with it.
void onepass_join_sums(LuminanceItems mine, uint lane) {
  ONEPASS_CONST uint at_once = COPIES == 1u ? 4u : 8u;  // items
  ONEPASS_CONST uint lanes = 256u / at_once;            // that join one
  uint place = lane % lanes;
  uint base = lane / lanes * 512u;
  ONEPASS_UNROLL for (uint first = 0u; first < ONEPASS_ITEM_COUNTS; first += 4u) {
    if (first % at_once == 0u) {
      ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_ITEM_COUNTS; ++i) {
        if (i >= first && i < first + at_once) {
          s_pool[(i - first) * 512u + lane] = mine.items[i].x;
          s_pool[(i - first) * 512u + 256u + lane] = mine.items[i].y;
        }
      }
      onepass_group_barrier();  // all items are there
      uint item = first + lane / lanes;
      // Each step is by whole lanes: what one reads no other writes.
      uint stride = lanes;
      uint count = 256u / lanes;
      ONEPASS_LOOP for (uint level = 0u; level < 3u; ++level) {
        if (place < stride) {
          uint2 sum = onepass_join_eight(item, base + place, stride, count);
          s_pool[base + place] = sum.x;
          s_pool[base + 256u + place] = sum.y;
        }
        onepass_group_barrier();  // this level's sums are there
        count = level == 0u ? 8u : stride;
        stride = level == 0u ? lanes / 8u : 1u;
      }
      if (lane < at_once) {
        s_items[2u * (first + lane)] = s_pool[lane * 512u];
        s_items[2u * (first + lane) + 1u] = s_pool[lane * 512u + 256u];
      }
      onepass_group_barrier();  // read before they are overwritten
    }
  }
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

uint2 onepass_pair_bits(float2 pair) { return uint2(onepass_float_bits(pair.x), onepass_float_bits(pair.y)); }

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

LuminanceItems onepass_items_of(LuminanceSums sums, LuminancePairs pairs) {
  LuminanceItems mine;
  mine.items[0] = onepass_pair_bits(pairs.red);
  mine.items[1] = onepass_pair_bits(pairs.green);
  mine.items[2] = onepass_pair_bits(pairs.blue);
  mine.items[3] = onepass_pair_bits(pairs.bright);
  mine.items[ONEPASS_ITEM_LOG] = onepass_pair_bits(pairs.logs);
  mine.items[ONEPASS_ITEM_WHOLE] = uint2(sums.whole, 0u);
  mine.items[ONEPASS_ITEM_WEIGHT] = uint2(sums.weight, 0u);
  mine.items[ONEPASS_ITEM_ZERO_WEIGHT] = uint2(sums.zero_weight, 0u);
  mine.items[ONEPASS_ITEM_COUNTS] = uint2(sums.finite, sums.nan);
  mine.items[ONEPASS_ITEM_COUNTS + 1] = uint2(sums.infinite, sums.negative);
  mine.items[ONEPASS_ITEM_COUNTS + 2] = uint2(sums.zero, 0u);
  mine.items[ONEPASS_ITEM_RANGE] = uint2(onepass_float_bits(sums.low), onepass_float_bits(sums.high));
  return mine;
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
LuminanceItems onepass_meter_tiles(uint group, uint slice, uint lane) {
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
  return onepass_items_of(sums, pairs);
}
#endif

// ---- A group

/// Adds the group's histogram to the slice's. 16 bits and the rest apart: neither word overflows, whatever the weights.
void onepass_flush_histogram(uint base, uint lane) {
  for (uint bin = lane; bin < BINS; bin += 256u) {
    uint weight = 0u;
    for (uint way = 0u; way < ONEPASS_LUMINANCE_WAYS; ++way) weight += s_pool[bin * ONEPASS_LUMINANCE_WAYS + way];
    uint word = base + 4u + onepass_bin_word(bin);
    if ((weight & 0xFFFFu) != 0u) onepass_atomic_add(onepass_words[word], weight & 0xFFFFu);
    if ((weight >> 16) != 0u) onepass_atomic_add(onepass_words[word + BINS], weight >> 16);
  }
}

/// The first part: tiles to one partial sum and the slice's histogram.
void onepass_meter_group(uint group, uint slice, uint base, uint lane) {
  for (uint i = lane; i < ONEPASS_LUMINANCE_POOL; i += 256u) s_pool[i] = 0u;
  if (lane < 32u) s_bin_ends[lane] = onepass_bin_ends[lane];
  onepass_clear_counts(lane);
  onepass_group_barrier();  // all bins are empty
  LuminanceItems mine = onepass_meter_tiles(group, slice, lane);
  onepass_join_counts(mine);
  onepass_group_barrier();  // all pixels are in bins
  onepass_flush_histogram(base, lane);
  onepass_group_barrier();  // the bins are read
  onepass_join_sums(mine, lane);
  if (lane < 2u * ONEPASS_LUMINANCE_ITEMS) {
    onepass_words[base + 4u + 2u * BINS + lane * pc.groups + group] = s_items[lane];
  }
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
  uint base = group.z * onepass_luminance_words(pc.groups);
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
