// luminance_meter.glsl: computes all statistics of an image's luminance, and its exposure, in one dispatch that reads
// the image once. A fixed number of workgroups strides over tiles of 128x16 texels:
//
//     tiles 0 1 2 3 4 5 6 ...          workgroup g meters tiles g, g + groups, g + 2 groups, ...
//     +---+---+---+
//     | 0 | 1 | 2 |   a tile: 32x8 invocations, each of which meters 4 columns and 2 rows of texels, 32 and 8 apart
//     +---+---+---+
//
// Stages of a workgroup, in the order of onepass_meter():
//     1. onepass_clear_group: zeroes the workgroup's histogram and sums in shared memory.
//     2. onepass_meter_tiles: each invocation meters its eight texels of a tile while its next eight are in flight.
//        Eight ordinary texels are added at once (onepass_add_ordinary), any others one by one (onepass_add_pixel);
//        both in luminance_pixels.glsl. Sums stay in registers; bins are counted in shared memory, in several copies of
//        the histogram (luminance_bins.glsl).
//     3. onepass_flush_histogram: adds the workgroup's histogram to the slice's, in scratch memory.
//     4. onepass_join_share, onepass_flush_sums: add the invocations' sums to the workgroup's (luminance_sums.glsl),
//     and
//        these to the slice's.
//     5. onepass_arrive: counts the workgroups of the slice that have finished.
//     6. onepass_finish_meter (luminance_finish.glsl): the last workgroup to finish computes the result and zeroes the
//        slice's scratch memory.
//
// Atomics add integers or take maxima, whose order does not matter: the bits are the same on every run.
//
// Define before including:
//     ONEPASS_LUMINANCE_FRAME  1: also tone maps every texel, see frame_tone_map.glsl; 0, the default: meters only
//     ONEPASS_LUMINANCE_PASS   0, the default: all stages; 1: stages 1 to 4; 2: stage 6, in one workgroup per slice
//     BINS       number of bins: ONEPASS_LUMINANCE_BINS of a given range, or ONEPASS_LUMINANCE_FINE_BINS of 1/32 stop
//                from 2^-32 on
//     COPIES     shared memory for the histogram, in units of ONEPASS_LUMINANCE_FINE_BINS words
//     METERING   weights of pixels: ONEPASS_LUMINANCE_AVERAGE...
//     STATISTIC  source of the exposure: 0 log-average, 1 mean, 2 mean between percentiles
//                (these four are constants, best specialization constants)
//     pc                LuminanceParams: onepass_luminance_setup() of onepass/shader_setup.h fills it, and computes
//                       workgroups and words
//     ONEPASS_SUBGROUP  1: shuffles, in full subgroups of at least 8; 0: shared memory only
//     onepass_words     uint[], ONEPASS_COHERENT: onepass_luminance_words() per slice, zero at first
//     onepass_results   LuminanceResult[], one per slice
// and these functions:
//     float3 onepass_load_colour(uint2 texel, uint slice)     linear; grey in all three channels; not for frames
//     uint onepass_load_weight(uint2 texel)                   0 to 255; for ONEPASS_LUMINANCE_MASK only
// then call onepass_meter(gl_WorkGroupID) from a main() of 256 invocations; workgroups in x, slices in z.
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
#include "onepass/prelude_names.glsl"

// ---- Memory: shared by the workgroup, and scratch memory of the slice

#define ONEPASS_LUMINANCE_POOL (ONEPASS_LUMINANCE_FINE_BINS * COPIES)
#define ONEPASS_LUMINANCE_WAYS (ONEPASS_LUMINANCE_POOL / BINS)  // copies of the histogram

groupshared uint s_pool[ONEPASS_LUMINANCE_POOL];  // the histogram; stage 6: cumulative weights
groupshared uint s_bin_ends[32];                  // onepass_bin_ends
groupshared uint s_arrived;

/// Words of scratch memory per slice: a counter, copies of the sums, two words per bin (lower 16 bits and the rest).
/// Workgroups alternate between the copies, so that fewer atomics contend for a word.
uint onepass_luminance_words() { return ONEPASS_LUMINANCE_BINS_AT + 2u * BINS; }

/// The word of scratch memory for word `word` of a workgroup's sums.
uint onepass_sum_word(uint group, uint word) {
  return ONEPASS_LUMINANCE_SUMS_AT + group % ONEPASS_LUMINANCE_COPIES * ONEPASS_LUMINANCE_COPY_WORDS + word;
}

#define ONEPASS_BINS_OF_LANE (BINS / ONEPASS_LUMINANCE_GROUP)
#define ONEPASS_MOST_BINS_OF_LANE (ONEPASS_LUMINANCE_FINE_BINS / ONEPASS_LUMINANCE_GROUP)

// Pixels weigh 0 to 255, and total weights need 64 bits. Otherwise pixels weigh 0 or 1, and weights are 32-bit counts.
#define ONEPASS_WIDE_WEIGHTS (METERING == ONEPASS_LUMINANCE_CENTRE || METERING == ONEPASS_LUMINANCE_MASK)

/// The word of a bin, relative to bin 0. Consecutive bins, which one invocation of stage 6 reads, lie
/// ONEPASS_LUMINANCE_GROUP words apart.
uint onepass_bin_word(uint bin) {
  return bin % ONEPASS_BINS_OF_LANE * ONEPASS_LUMINANCE_GROUP + bin / ONEPASS_BINS_OF_LANE;
}

#include "onepass/luminance_sums.glsl"
#include "onepass/luminance_bins.glsl"
#include "onepass/luminance_pixels.glsl"
#include "onepass/prelude_names.glsl"

// ---- An invocation

/// The final sums of an invocation.
struct LuminanceShare {
  float sums[5];
  uint finite;
  uint whole;
  uint low;   // bits of infinity minus bits of the least luminance
  uint high;  // bits of the greatest luminance
  uint weight;
  uint zero_weight;
  uint4 odd;  // numbers of NaN, infinite, negative and zero pixels
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

/// Adds an invocation's sums to the workgroup's.
void onepass_join_share(LuminanceShare share) {
  // Most of these counts are 0.
  ONEPASS_UNROLL for (uint i = 0u; i < 4u; ++i) {
    if (share.odd[i] != 0u) onepass_shared_add(s_sums[ONEPASS_AT_COUNTS + 1u + i], share.odd[i]);
  }
  if (ONEPASS_WIDE_WEIGHTS) {  // a subgroup's sum might not fit a word
    onepass_share_whole(0u, share.whole);
    onepass_share_whole(1u, share.weight);
    onepass_share_whole(2u, share.zero_weight);
  }
#if ONEPASS_SUBGROUP
  // All items in each step, so that the latencies of their shuffles overlap.
  for (uint apart = 1u; apart < onepass_subgroup_size(); apart <<= 1) {
    ONEPASS_UNROLL for (uint i = 0u; i < 5u; ++i) share.sums[i] += onepass_shuffle_xor(share.sums[i], apart);
    share.finite += onepass_shuffle_xor(share.finite, apart);
    if (!ONEPASS_WIDE_WEIGHTS) share.whole += onepass_shuffle_xor(share.whole, apart);
    share.low = max(share.low, onepass_shuffle_xor(share.low, apart));
    share.high = max(share.high, onepass_shuffle_xor(share.high, apart));
  }
  uint member = onepass_workgroup_index() % onepass_subgroup_size();
  float sum = share.sums[0];  // five invocations split one sum each, because digits take long
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

/// The position in a tile of an invocation's first texel: 32 consecutive invocations read 8x4 texels, or, in images
/// that are not tiled, 32 of a row.
uint2 onepass_in_tile(uint lane) {
#ifdef ONEPASS_LINEAR_MEMORY
  return uint2(lane & 31u, lane >> 5);
#else
  return uint2((lane & 7u) + ((lane >> 5) & 3u) * 8u, ((lane >> 3) & 3u) + (lane >> 7) * 4u);
#endif
}

/// An invocation's eight texels of a tile.
struct LuminanceTexels {
  float3 colours[ONEPASS_LUMINANCE_READS];
};

/// Position in the metered rectangle of an invocation's first texel of a tile.
uint2 onepass_first_texel(uint tile, uint2 in_tile) {
  return uint2(tile % pc.tiles_x * ONEPASS_LUMINANCE_TILE_WIDTH, tile / pc.tiles_x * ONEPASS_LUMINANCE_TILE_HEIGHT) +
         in_tile;
}

/// Position in the metered rectangle of texel `i`, 0 to 7, of an invocation whose first texel is `first`.
uint2 onepass_texel_of(uint2 first, uint i) { return first + uint2((i & 3u) * 32u, (i >> 2) * 8u); }

#if ONEPASS_LUMINANCE_FRAME
#include "onepass/frame_tone_map.glsl"
#include "onepass/prelude_names.glsl"
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

/// Meters all texels of an invocation, and prefetches those of the next tile meanwhile.
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

// ---- A workgroup

/// Zeroes bins and sums, and copies the table of bin edges to shared memory.
void onepass_clear_group(uint lane) {
  for (uint i = lane; i < ONEPASS_LUMINANCE_POOL; i += ONEPASS_LUMINANCE_GROUP) s_pool[i] = 0u;
  if (lane < 32u) s_bin_ends[lane] = onepass_bin_ends[lane];
  if (lane < ONEPASS_SUM_WORDS) s_sums[lane] = 0u;
}

/// Adds the workgroup's histogram to the slice's: wide weights as two words, 16 bits and the rest, so that none
/// overflows.
void onepass_flush_histogram(uint base, uint lane) {
  uint weights[ONEPASS_MOST_BINS_OF_LANE];  // all read before the first atomic
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    weights[i] = 0u;
    if (i < ONEPASS_BINS_OF_LANE) {
      uint first = (i * ONEPASS_LUMINANCE_GROUP + lane) * ONEPASS_LUMINANCE_WAYS;
      for (uint way = 0u; way < ONEPASS_LUMINANCE_WAYS; ++way) weights[i] += s_pool[first + way];
    }
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    uint low = ONEPASS_WIDE_WEIGHTS ? weights[i] & 0xFFFFu : weights[i];
    uint high = weights[i] >> 16;
    uint word = base + ONEPASS_LUMINANCE_BINS_AT + onepass_bin_word(i * ONEPASS_LUMINANCE_GROUP + lane);
    if (low != 0u) onepass_atomic_add(onepass_words[word], low);
    if (ONEPASS_WIDE_WEIGHTS && high != 0u) onepass_atomic_add(onepass_words[word + BINS], high);
  }
}

/// Adds the workgroup's sums to the slice's.
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

/// Stages 1 to 4.
void onepass_meter_group(uint group, uint slice, uint base, uint lane) {
  onepass_clear_group(lane);
  onepass_group_barrier();  // bins and sums are empty
  LuminanceShare share = onepass_meter_tiles(group, slice, lane);
  onepass_group_barrier();  // all pixels are in bins
  onepass_flush_histogram(base, lane);
  onepass_join_share(share);  // while the histogram's atomics are in flight
  onepass_group_barrier();    // all invocations have added their sums
  onepass_flush_sums(base, group, lane);
}

/// Stage 5: whether this workgroup is the slice's last to finish. If so, the others' writes are visible. The protocol
/// is that of the fenced counters in workgroup_exchange.glsl.
bool onepass_arrive(uint base, uint lane) {
  onepass_exchange_barrier();  // all invocations have written
  if (lane == 0u) {
    onepass_release();
    onepass_atomic_add_before(onepass_words[base], 1u, s_arrived);
    onepass_acquire();
  }
  onepass_exchange_barrier();  // all see the count, and the writes that invocation 0 has acquired
  return s_arrived + 1u == pc.groups;
}

#if ONEPASS_LUMINANCE_PASS != 1
#include "onepass/luminance_finish.glsl"
#include "onepass/prelude_names.glsl"
#endif

/// The kernel: all stages.
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

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LUMINANCE_METER_GLSL_
