// luminance_percentiles.glsl: histogram, percentiles and clipped mean of a slice from its counted bins. 256 invocations
// own 1 or 8 adjacent bins each and compute the cumulative weights at the ends of all bins. Part of
// luminance_finish.glsl.
#ifndef ONEPASS_LUMINANCE_PERCENTILES_GLSL_
#define ONEPASS_LUMINANCE_PERCENTILES_GLSL_

#include "onepass/prelude_names.glsl"

groupshared uint s_first_bin;
groupshared uint s_end_bin;
groupshared float s_clipped;
// Weights of invocations and of 16 rows of them: lower words, then upper words.
groupshared uint s_before[2 * ONEPASS_LUMINANCE_GROUP + 2 * 16];

// ---- Weights: 64 bits in two words where they are wide

uint2 onepass_add_weights(uint2 a, uint2 b) {
  return ONEPASS_WIDE_WEIGHTS ? onepass_add_wide(a, b) : uint2(a.x + b.x, 0u);
}

float onepass_float_weight(uint2 weight) { return ONEPASS_WIDE_WEIGHTS ? onepass_float_wide(weight) : float(weight.x); }

void onepass_set_before(uint i, uint2 weight) {
  s_before[i] = weight.x;
  if (ONEPASS_WIDE_WEIGHTS) s_before[272u + i] = weight.y;
}

uint2 onepass_get_before(uint i) { return uint2(s_before[i], ONEPASS_WIDE_WEIGHTS ? s_before[272u + i] : 0u); }

/// The sum of `count` weights in s_before, 0 to 15, from `first` on.
uint2 onepass_sum_before(uint first, uint count) {
  uint2 sum = uint2(0u, 0u);
  ONEPASS_UNROLL for (uint i = 0u; i < 15u; ++i) {
    uint2 weight = onepass_get_before(first + i);
    sum = onepass_add_weights(sum, i < count ? weight : uint2(0u, 0u));
  }
  return sum;
}

float onepass_bin_edge(uint bin) { return pc.bin_low + float(bin) / pc.bin_scale; }
float onepass_bin_middle(uint bin) { return pc.bin_low + (float(bin) + 0.5) / pc.bin_scale; }

/// log2 of the least and the greatest luminance of the slice.
float2 onepass_log2_range() {
  float low = onepass_least();
  return float2(low > 0.0 ? onepass_log2(max(low, ONEPASS_LEAST_NORMAL)) : onepass_bin_edge(0u),
                onepass_log2(max(onepass_most(), ONEPASS_LEAST_NORMAL)));
}

/// The luminance that `share` of a bin's weight lies below, interpolated in log2.
float onepass_luminance_in_bin(uint bin, float share, float2 range) {
  float to = bin + 1u == BINS ? range.y : min(onepass_bin_edge(bin + 1u), range.y);
  float from = min(bin == 0u ? range.x : max(onepass_bin_edge(bin), range.x), to);
  return clamp(onepass_exp2(from + (to - from) * share), onepass_least(), onepass_most());
}

struct LuminanceBins {
  uint2 weights[ONEPASS_MOST_BINS_OF_LANE];  // of an invocation's ONEPASS_BINS_OF_LANE bins
};

LuminanceBins onepass_bins_of(LuminanceTaken taken) {
  LuminanceBins bins;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    bins.weights[i] = onepass_add_weights(uint2(taken.bins[i], 0u), uint2(taken.rest[i] << 16, taken.rest[i] >> 16));
  }
  return bins;
}

/// The cumulative weight up to the end of a bin. s_pool holds integers, or floats where weights are wide.
float onepass_weight_until(uint bin) {
  uint word = s_pool[onepass_bin_word(bin)];
  return ONEPASS_WIDE_WEIGHTS ? onepass_bits_float(word) : float(word);
}

/// Percentile `i` of `total` weight, of which `zero` is in no bin.
float onepass_percentile(uint i, float zero, float total, float2 range) {
  float rank = pc.percentiles[i] * total;
  // Values are rounded separately: the difference may exceed the weight in the bins.
  float in_bins = min(rank - zero, onepass_weight_until(BINS - 1u));
  // The first bin that ends at or after the rank: a search by eighths, down to four bins, then among these.
  uint bin = 0u;
  ONEPASS_UNROLL for (uint stage = 0u; stage < 3u; ++stage) {
    uint apart = BINS >> (3u * stage + 3u);
    uint past = 0u;
    ONEPASS_UNROLL for (uint i = 1u; i < 8u; ++i) {
      past += apart >= 4u && onepass_weight_until(bin + i * max(apart, 1u) - 1u) < in_bins ? 1u : 0u;
    }
    bin += past * apart;
  }
  uint past = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < 3u; ++i) past += onepass_weight_until(bin + i) < in_bins ? 1u : 0u;
  bin += past;
  float to = onepass_weight_until(bin);
  float end_before = onepass_weight_until(max(bin, 1u) - 1u);  // valid if bin is 0: HLSL evaluates both operands of ?:
  float from = bin == 0u ? 0.0 : end_before;
  float inside = onepass_luminance_in_bin(bin, (in_bins - from) / (to - from), range);
  float outside = rank <= 0.0 && total > 0.0 ? onepass_least() : 0.0;
  return in_bins > 0.0 && in_bins <= to ? inside : outside;
}

/// The log2 luminances between which pixels count in the clipped mean: at least the floor, which is delta or the middle
/// of bin 0; within the slice's least and greatest where these are narrower.
float2 onepass_clipped_range() {
  float low = max(onepass_log2(max(pc.delta, ONEPASS_LEAST_NORMAL)), onepass_bin_middle(0u));
  low = max(low, onepass_log2(max(onepass_least(), ONEPASS_LEAST_NORMAL)));
  return float2(low, max(low, onepass_log2(max(onepass_most(), ONEPASS_LEAST_NORMAL))));
}

/// The contribution of the weight from rank `before` to rank `after` to the mean between the clips.
float onepass_clipped_part(float before, float after, float total, float log2_luminance) {
  float overlap = min(after, pc.clip_high * total) - max(before, pc.clip_low * total);
  return max(overlap, 0.0) * log2_luminance;
}

/// Writes the sum of `value` over all invocations to s_clipped. Uses s_pool.
void onepass_sum_lanes(float value, uint lane) {
  s_pool[lane] = onepass_float_bits(value);
  for (uint step = 128u; step > 0u; step >>= 1u) {
    onepass_group_barrier();  // the values to add are written
    if (lane < step) {
      s_pool[lane] = onepass_float_bits(onepass_bits_float(s_pool[lane]) + onepass_bits_float(s_pool[lane + step]));
    }
  }
  if (lane == 0u) s_clipped = onepass_bits_float(s_pool[0]);
  onepass_group_barrier();  // s_pool is free again
}

/// The invocations that own the first and the last bin with weight write s_first_bin and s_end_bin.
void onepass_find_ends(LuminanceBins bins, uint2 before, uint2 after, uint2 all, uint lane) {
  if (before.x == after.x && before.y == after.y) return;
  uint first = BINS;
  uint end = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    if ((bins.weights[i].x | bins.weights[i].y) != 0u) {
      first = min(first, lane * ONEPASS_BINS_OF_LANE + i);
      end = lane * ONEPASS_BINS_OF_LANE + i + 1u;
    }
  }
  if ((before.x | before.y) == 0u) s_first_bin = first;
  if (after.x == all.x && after.y == all.y) s_end_bin = end;
}

/// Writes cumulative weights at the ends of an invocation's bins to s_pool: word 0 or 1 of them, or (2) as floats.
void onepass_write_until(LuminanceBins bins, uint2 before, uint lane, uint word) {
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    if (i < ONEPASS_BINS_OF_LANE) {
      before = onepass_add_weights(before, bins.weights[i]);
      uint bits = word == 0u ? before.x : word == 1u ? before.y : onepass_float_bits(onepass_float_wide(before));
      s_pool[i * ONEPASS_LUMINANCE_GROUP + lane] = bits;
    }
  }
}

/// The word in s_pool of the cumulative weight before a bin.
uint onepass_word_before(uint bin) {
  uint word = s_pool[onepass_bin_word(max(bin, 1u) - 1u)];
  return bin == 0u ? 0u : word;
}

/// An invocation's contribution to the clipped mean of log2 luminance, less onepass_clipped_range().x, which is the
/// value of pixels without a bin. Each pixel counts as a luminance that never decreases with its own.
float onepass_clipped_share(LuminanceBins bins, uint2 before, float zero, float total, uint lane) {
  float2 range = onepass_clipped_range();
  float clipped = 0.0;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    if (i < ONEPASS_BINS_OF_LANE && (bins.weights[i].x | bins.weights[i].y) != 0u) {
      uint bin = lane * ONEPASS_BINS_OF_LANE + i;
      uint2 after = onepass_add_weights(before, bins.weights[i]);
      clipped += onepass_clipped_part(zero + onepass_float_weight(before), zero + onepass_float_weight(after), total,
                                      clamp(onepass_bin_middle(bin), range.x, range.y) - range.x);
      before = after;
    }
  }
  return clipped;
}

/// Writes histogram and percentiles of the result; computes s_items and the clipped mean.
void onepass_finish_histogram(uint slice, LuminanceBins bins, uint lane) {
  uint2 mine = uint2(0u, 0u);
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MOST_BINS_OF_LANE; ++i) {
    mine = onepass_add_weights(mine, bins.weights[i]);
  }
  onepass_set_before(lane, mine);
  onepass_group_barrier();  // all weights and sums are written
  if (lane >= ONEPASS_LUMINANCE_GROUP - ONEPASS_ITEMS) {
    onepass_make_item(lane - (ONEPASS_LUMINANCE_GROUP - ONEPASS_ITEMS));
  }
  float2 range = onepass_log2_range();
  uint2 before = onepass_sum_before(lane - lane % 16u, lane % 16u);
  if (lane % 16u == 15u) onepass_set_before(ONEPASS_LUMINANCE_GROUP + lane / 16u, onepass_add_weights(before, mine));
  onepass_group_barrier();  // items and the weights of rows are written
  before = onepass_add_weights(before, onepass_sum_before(ONEPASS_LUMINANCE_GROUP, lane / 16u));
  uint2 all = onepass_subtract_wide(onepass_item(ONEPASS_ITEM_WEIGHT), onepass_item(ONEPASS_ITEM_ZERO_WEIGHT));
  onepass_find_ends(bins, before, onepass_add_weights(before, mine), all, lane);
  onepass_write_until(bins, before, lane, 0u);
  onepass_group_barrier();  // cumulative weights are written

  // Each of the result's bins is the sum of `join` counted bins; together they cover all with weight.
  bool given = BINS == ONEPASS_LUMINANCE_BINS || s_first_bin >= s_end_bin;
  uint first = given ? 0u : s_first_bin;
  uint join = given ? 1u : (s_end_bin - s_first_bin + (ONEPASS_LUMINANCE_BINS - 1)) / ONEPASS_LUMINANCE_BINS;
  uint from = min(first + lane * join, BINS);
  uint to = min(first + lane * join + join, BINS);
  uint2 shown_from = uint2(onepass_word_before(from), 0u);
  uint2 shown_to = uint2(onepass_word_before(to), 0u);
  if (ONEPASS_WIDE_WEIGHTS) {
    onepass_group_barrier();  // the lower words are read
    onepass_write_until(bins, before, lane, 1u);
    onepass_group_barrier();  // the upper words are written
    shown_from.y = onepass_word_before(from);
    shown_to.y = onepass_word_before(to);
    onepass_group_barrier();  // the upper words are read
    onepass_write_until(bins, before, lane, 2u);
    onepass_group_barrier();  // floats are written
  }
  onepass_results[slice].histogram[lane] = onepass_subtract_wide(shown_to, shown_from);
  float total = onepass_float_wide(onepass_item(ONEPASS_ITEM_WEIGHT));
  float zero = onepass_float_wide(onepass_item(ONEPASS_ITEM_ZERO_WEIGHT));
  if (lane < ONEPASS_LUMINANCE_PERCENTILES) {
    onepass_results[slice].percentiles[lane] = onepass_percentile(lane, zero, total, range);
  }
  if (lane == 64u) {  // in subgroups of at most 64, another one than that of the percentiles
    onepass_results[slice].histogram_low = onepass_bin_edge(first);
    onepass_results[slice].histogram_high = onepass_bin_edge(first + join * ONEPASS_LUMINANCE_BINS);
  }
  if (STATISTIC == 2u) {
    onepass_group_barrier();  // s_pool is read
    onepass_sum_lanes(onepass_clipped_share(bins, before, zero, total, lane), lane);
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LUMINANCE_PERCENTILES_GLSL_
