// luminance_finish.glsl: one workgroup's way from a slice's sums and histogram to its result: part of
// luminance_meter.glsl. Its twin on the CPU is src/luminance/finish.cpp.
#ifndef ONEPASS_LUMINANCE_FINISH_GLSL_
#define ONEPASS_LUMINANCE_FINISH_GLSL_

groupshared uint s_first_bin;
groupshared uint s_end_bin;
groupshared float s_clipped;
groupshared uint s_before[2 * 256 + 2 * 16];  // weights of all invocations and of rows of sixteen, 64 bits in two words

// What the slice has summed up, ready to use: pairs of words. Items 0 to 4: red, green, blue, luminance, log2's fractions:
// floats. 5 to 7: log2's whole numbers, weight, weight of black: 64 bits.
#define ONEPASS_ITEM_LOG 4u
#define ONEPASS_ITEM_WHOLE 5u
#define ONEPASS_ITEM_WEIGHT 6u
#define ONEPASS_ITEM_ZERO_WEIGHT 7u
#define ONEPASS_ITEMS 8u
groupshared uint s_items[2 * ONEPASS_ITEMS];

/// What scratch memory has for an invocation.
struct LuminanceTaken {
  uint bins[ONEPASS_LUMINANCE_FINE_BINS / 256];  // ONEPASS_BINS_OF_LANE of them: lower words, or all
  uint rest[ONEPASS_LUMINANCE_FINE_BINS / 256];  // the upper 16 bits and more, where weights are wide
  uint sums[ONEPASS_LUMINANCE_COPIES];           // a word of the sums
};

/// Reads it, all of it before any is used, and leaves zeroes.
LuminanceTaken onepass_take(uint base, uint lane) {
  LuminanceTaken taken;
  uint first = base + ONEPASS_LUMINANCE_BINS_AT + lane;
  uint sum_lane = min(lane, ONEPASS_SUM_WORDS - 1u);
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_COPIES; ++i) {
    taken.sums[i] = onepass_words[base + onepass_sum_word(i, sum_lane)];
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    taken.bins[i] = 0u;
    taken.rest[i] = 0u;
    if (i < ONEPASS_BINS_OF_LANE) {
      taken.bins[i] = onepass_words[first + i * 256u];
      if (ONEPASS_WIDE_WEIGHTS) taken.rest[i] = onepass_words[first + i * 256u + BINS];
    }
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_COPIES; ++i) {
    if (lane < ONEPASS_SUM_WORDS) onepass_words[base + onepass_sum_word(i, lane)] = 0u;
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    if (i < ONEPASS_BINS_OF_LANE) {
      onepass_words[first + i * 256u] = 0u;
      if (ONEPASS_WIDE_WEIGHTS) onepass_words[first + i * 256u + BINS] = 0u;
    }
  }
  return taken;
}

// Of the largest floats weighted by 255 sums would be none: they are made less by this many bits.
#define ONEPASS_WIDE_SHIFT (ONEPASS_WIDE_WEIGHTS ? 8u : 0u)

/// Writes an invocation's word of the sums to s_sums: digits of floats as floats, of their worth.
void onepass_set_sum(LuminanceTaken taken, uint lane) {
  if (lane >= ONEPASS_SUM_WORDS) return;
  uint sum = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_COPIES; ++i) {
    sum = lane < ONEPASS_AT_RANGE ? sum + taken.sums[i] : max(sum, taken.sums[i]);
  }
  if (lane < ONEPASS_AT_WHOLE) {
    uint digit = lane % ONEPASS_SUM_DIGITS;
    // Digit j counts 2^(13 j - 153); the lowest three are less than any float.
    uint exponent = digit < 3u ? 0u : ONEPASS_DIGIT_BITS * digit + 127u - 153u - ONEPASS_WIDE_SHIFT;
    sum = onepass_float_bits(float(int(sum)) * onepass_bits_float(exponent << 23));
  }
  s_sums[lane] = sum;
}

/// A sum of floats from its digits.
float onepass_float_of_digits(uint number) {
  float sum = 0.0;
  ONEPASS_UNROLL for (uint digit = 3u; digit < ONEPASS_SUM_DIGITS; ++digit) {
    sum += onepass_bits_float(s_sums[ONEPASS_SUM_DIGITS * number + digit]);
  }
  return sum;
}

/// A whole number from its digits.
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

/// Item `item` from s_sums.
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

// ---- Weights: 64 bits in two words where they are wide

uint2 onepass_add_weights(uint2 a, uint2 b) { return ONEPASS_WIDE_WEIGHTS ? onepass_add_wide(a, b) : uint2(a.x + b.x, 0u); }

float onepass_float_weight(uint2 weight) { return ONEPASS_WIDE_WEIGHTS ? onepass_float_wide(weight) : float(weight.x); }

void onepass_set_before(uint i, uint2 weight) {
  s_before[i] = weight.x;
  if (ONEPASS_WIDE_WEIGHTS) s_before[272u + i] = weight.y;
}

uint2 onepass_get_before(uint i) { return uint2(s_before[i], ONEPASS_WIDE_WEIGHTS ? s_before[272u + i] : 0u); }

/// The sum of the first `count` of sixteen weights in s_before, from `first` on.
uint2 onepass_sum_before(uint first, uint count) {
  uint2 sum = uint2(0u, 0u);
  ONEPASS_UNROLL for (uint i = 0u; i < 15u; ++i) {
    uint2 weight = onepass_get_before(first + i);
    sum = onepass_add_weights(sum, i < count ? weight : uint2(0u, 0u));
  }
  return sum;
}

float onepass_bin_edge(uint bin) { return pc.bin_low + float(bin) / pc.bin_scale; }

/// log2 of the least and the greatest luminance.
float2 onepass_log2_range() {
  float low = onepass_least();
  return float2(low > 0.0 ? onepass_log2(max(low, ONEPASS_LEAST_NORMAL)) : onepass_bin_edge(0u),
                onepass_log2(max(onepass_most(), ONEPASS_LEAST_NORMAL)));
}

/// A luminance in a bin, `share` of the bin's weight up.
float onepass_luminance_in_bin(uint bin, float share, float2 range) {
  float to = bin + 1u == BINS ? range.y : min(onepass_bin_edge(bin + 1u), range.y);
  float from = min(bin == 0u ? range.x : max(onepass_bin_edge(bin), range.x), to);
  return clamp(onepass_exp2(from + (to - from) * share), onepass_least(), onepass_most());
}

struct LuminanceBins {
  uint2 weights[ONEPASS_LUMINANCE_FINE_BINS / 256];  // of an invocation: ONEPASS_BINS_OF_LANE
};

LuminanceBins onepass_bins_of(LuminanceTaken taken) {
  LuminanceBins bins;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    bins.weights[i] =
        onepass_add_weights(uint2(taken.bins[i], 0u), uint2(taken.rest[i] << 16, taken.rest[i] >> 16));
  }
  return bins;
}

/// The weight up to the end of a bin: s_pool has words, or floats where weights are wide.
float onepass_weight_until(uint bin) {
  uint word = s_pool[onepass_bin_word(bin)];
  return ONEPASS_WIDE_WEIGHTS ? onepass_bits_float(word) : float(word);
}

/// Percentile `i` of `total` weight, of which `zero` is in no bin.
float onepass_percentile(uint i, float zero, float total, float2 range) {
  float rank = pc.percentiles[i] * total;
  // Rounded apart, the weight in bins may come out larger than what bins hold.
  float in_bins = min(rank - zero, onepass_weight_until(BINS - 1u));
  uint bin = 0u;  // the first whose end is not before the rank: in which eighth, in which eighth of that... of four
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
  float end_before = onepass_weight_until(max(bin, 1u) - 1u);  // HLSL reads it in any case
  float from = bin == 0u ? 0.0 : end_before;
  float inside = onepass_luminance_in_bin(bin, (in_bins - from) / (to - from), range);
  float outside = rank <= 0.0 && total > 0.0 ? onepass_least() : 0.0;
  return in_bins > 0.0 && in_bins <= to ? inside : outside;
}

/// What weight from `before` to `after` adds to the mean between the clips.
float onepass_clipped_part(float before, float after, float total, float log2_luminance) {
  float overlap = min(after, pc.clip_high * total) - max(before, pc.clip_low * total);
  return max(overlap, 0.0) * log2_luminance;
}

/// The sum of a number of all lanes, in s_clipped. Uses s_pool.
void onepass_sum_lanes(float value, uint lane) {
  s_pool[lane] = onepass_float_bits(value);
  for (uint step = 128u; step > 0u; step >>= 1u) {
    onepass_group_barrier();  // the numbers about to be added are written
    if (lane < step) {
      s_pool[lane] = onepass_float_bits(onepass_bits_float(s_pool[lane]) + onepass_bits_float(s_pool[lane + step]));
    }
  }
  if (lane == 0u) s_clipped = onepass_bits_float(s_pool[0]);
  onepass_group_barrier();  // s_pool is free again
}

/// Which bins have weight: at the invocation that has the first of them, and at that with the last.
void onepass_find_ends(LuminanceBins bins, uint2 before, uint2 after, uint2 all, uint lane) {
  if (before.x == after.x && before.y == after.y) return;
  uint first = BINS;
  uint end = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    if ((bins.weights[i].x | bins.weights[i].y) != 0u) {
      first = min(first, lane * ONEPASS_BINS_OF_LANE + i);
      end = lane * ONEPASS_BINS_OF_LANE + i + 1u;
    }
  }
  if ((before.x | before.y) == 0u) s_first_bin = first;
  if (after.x == all.x && after.y == all.y) s_end_bin = end;
}

/// Writes s_pool: weights up to the ends of an invocation's bins. Word 0 or 1 of them; 2: as floats.
void onepass_write_until(LuminanceBins bins, uint2 before, uint lane, uint word) {
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    if (i < ONEPASS_BINS_OF_LANE) {
      before = onepass_add_weights(before, bins.weights[i]);
      uint bits = word == 0u ? before.x : word == 1u ? before.y : onepass_float_bits(onepass_float_wide(before));
      s_pool[i * 256u + lane] = bits;
    }
  }
}

/// A word of the weight up to the end of the bin before.
uint onepass_word_before(uint bin) {
  uint word = s_pool[onepass_bin_word(max(bin, 1u) - 1u)];
  return bin == 0u ? 0u : word;
}

/// The mean of log2 between the clips: a part of it from every invocation.
float onepass_clipped_share(LuminanceBins bins, uint2 before, float zero, float total, uint lane) {
  float clipped = 0.0;
  if (lane == 0u) clipped = onepass_clipped_part(0.0, zero, total, onepass_log2(max(pc.delta, ONEPASS_LEAST_NORMAL)));
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    if (i < ONEPASS_BINS_OF_LANE && (bins.weights[i].x | bins.weights[i].y) != 0u) {
      uint bin = lane * ONEPASS_BINS_OF_LANE + i;
      uint2 after = onepass_add_weights(before, bins.weights[i]);
      clipped += onepass_clipped_part(zero + onepass_float_weight(before), zero + onepass_float_weight(after), total,
                                      (onepass_bin_edge(bin) + onepass_bin_edge(bin + 1u)) * 0.5);
      before = after;
    }
  }
  return clipped;
}

/// Histogram, percentiles and the clipped mean; s_items on the way.
void onepass_finish_histogram(uint slice, LuminanceBins bins, uint lane) {
  uint2 mine = uint2(0u, 0u);
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    mine = onepass_add_weights(mine, bins.weights[i]);
  }
  onepass_set_before(lane, mine);
  onepass_group_barrier();  // all weights and sums are there
  if (lane >= 256u - ONEPASS_ITEMS) onepass_make_item(lane - (256u - ONEPASS_ITEMS));
  float2 range = onepass_log2_range();
  uint2 before = onepass_sum_before(lane - lane % 16u, lane % 16u);
  if (lane % 16u == 15u) onepass_set_before(256u + lane / 16u, onepass_add_weights(before, mine));
  onepass_group_barrier();  // items and the weights of rows are there
  before = onepass_add_weights(before, onepass_sum_before(256u, lane / 16u));
  uint2 all = onepass_subtract_wide(onepass_item(ONEPASS_ITEM_WEIGHT), onepass_item(ONEPASS_ITEM_ZERO_WEIGHT));
  onepass_find_ends(bins, before, onepass_add_weights(before, mine), all, lane);
  onepass_write_until(bins, before, lane, 0u);
  onepass_group_barrier();  // weights up to the ends of bins are there

  // 256 bins of the histogram stand for those that have weight.
  bool given = BINS == ONEPASS_LUMINANCE_BINS || s_first_bin >= s_end_bin;
  uint first = given ? 0u : s_first_bin;
  uint join = given ? 1u : (s_end_bin - s_first_bin + 255u) / 256u;
  uint from = min(first + lane * join, BINS);
  uint to = min(first + lane * join + join, BINS);
  uint2 shown_from = uint2(onepass_word_before(from), 0u);
  uint2 shown_to = uint2(onepass_word_before(to), 0u);
  if (ONEPASS_WIDE_WEIGHTS) {
    onepass_group_barrier();  // the lower words are read
    onepass_write_until(bins, before, lane, 1u);
    onepass_group_barrier();  // the upper words are there
    shown_from.y = onepass_word_before(from);
    shown_to.y = onepass_word_before(to);
    onepass_group_barrier();  // and read
    onepass_write_until(bins, before, lane, 2u);
    onepass_group_barrier();  // floats are there
  }
  onepass_results[slice].histogram[lane] = onepass_subtract_wide(shown_to, shown_from);
  float total = onepass_float_wide(onepass_item(ONEPASS_ITEM_WEIGHT));
  float zero = onepass_float_wide(onepass_item(ONEPASS_ITEM_ZERO_WEIGHT));
  if (lane < ONEPASS_LUMINANCE_PERCENTILES) {
    onepass_results[slice].percentiles[lane] = onepass_percentile(lane, zero, total, range);
  }
  if (lane == 64u) {  // no subgroup does two things
    onepass_results[slice].histogram_low = onepass_bin_edge(first);
    onepass_results[slice].histogram_high = onepass_bin_edge(first + join * ONEPASS_LUMINANCE_BINS);
  }
  if (STATISTIC == 2u) {
    onepass_group_barrier();  // s_pool is read
    onepass_sum_lanes(onepass_clipped_share(bins, before, zero, total, lane), lane);
  }
}

/// How far one goes towards something `distance` stops away: at `speed` until `ease` stops are left, then ever slower.
float onepass_adapted_distance(float distance, float speed) {
  float until_ease = max(distance - pc.ease, 0.0) / speed;
  if (pc.seconds <= until_ease) return speed * pc.seconds;
  if (pc.ease == 0.0) return distance;
  return distance -
         min(distance, pc.ease) * onepass_exp2(-(pc.seconds - until_ease) * (speed / pc.ease) * 1.44269504);
}

/// Log2 of the log-average: whole / weight - 127 + fractions / weight, without ever rounding the whole part.
float onepass_mean_log2(uint2 weight, out int integer) {
  uint2 whole = onepass_item(ONEPASS_ITEM_WHOLE);
  float divisor = onepass_float_wide(weight);
  uint quotient = uint(clamp(onepass_float_wide(whole) / divisor, 0.0, 65000.0));
  if (onepass_less_wide(whole, onepass_scale_wide(weight, quotient))) quotient -= 1u;
  uint2 rest = onepass_subtract_wide(whole, onepass_scale_wide(weight, quotient));
  if (!onepass_less_wide(rest, weight)) {
    rest = onepass_subtract_wide(rest, weight);
    quotient += 1u;
  }
  integer = int(quotient) - 127;
  return onepass_float_wide(rest) / divisor + onepass_item_sum(ONEPASS_ITEM_LOG) * (ONEPASS_WIDE_WEIGHTS ? 256.0 : 1.0) / divisor;
}

/// The luminance exposure is for, and the statistics it may be made from.
float onepass_write_statistics(uint slice, uint2 weight) {
  float per_weight = (ONEPASS_WIDE_WEIGHTS ? 1099511627776.0 : 4294967296.0) / onepass_float_wide(weight);
  onepass_results[slice].mean_red = onepass_item_sum(0u) * per_weight;
  onepass_results[slice].mean_green = onepass_item_sum(1u) * per_weight;
  onepass_results[slice].mean_blue = onepass_item_sum(2u) * per_weight;
  float mean = onepass_item_sum(3u) * per_weight;
  onepass_results[slice].mean_luminance = mean;
  onepass_results[slice].min_luminance = onepass_least();
  onepass_results[slice].max_luminance = onepass_most();
  int integer;
  float part = onepass_mean_log2(weight, integer);
  float whole = floor(part + 0.5);
  onepass_results[slice].log_average = onepass_exp2_parts(integer + int(whole), part - whole);
  if (STATISTIC == 1u) return onepass_log2(max(mean, ONEPASS_LEAST_NORMAL));
  if (STATISTIC == 2u) return s_clipped / ((pc.clip_high - pc.clip_low) * onepass_float_wide(weight));
  return float(integer) + part;
}

void onepass_write_exposure(uint slice, float metered, bool has_history) {
  float adapted = metered;
  if (has_history) {
    float before = onepass_results[slice].adapted_log2;
    float distance = metered - before;
    float moved = onepass_adapted_distance(abs(distance), distance > 0.0 ? pc.up : pc.down);
    adapted = before + (distance > 0.0 ? moved : -moved);
  }
  onepass_results[slice].metered_luminance = onepass_exp2(metered);
  onepass_results[slice].adapted_log2 = adapted;
  onepass_results[slice].adapted_luminance = onepass_exp2(adapted);
  onepass_results[slice].ev100 = adapted + pc.ev_offset;
  onepass_results[slice].exposure = onepass_exp2(pc.exposure_offset - adapted);
}

/// Nothing to meter: exposure stays, statistics are 0.
void onepass_write_nothing(uint slice) {
  onepass_results[slice].log_average = 0.0;
  onepass_results[slice].mean_luminance = 0.0;
  onepass_results[slice].min_luminance = 0.0;
  onepass_results[slice].max_luminance = 0.0;
  onepass_results[slice].mean_red = 0.0;
  onepass_results[slice].mean_green = 0.0;
  onepass_results[slice].mean_blue = 0.0;
  onepass_results[slice].metered_luminance = 0.0;
  if (!(onepass_results[slice].exposure > 0.0)) onepass_results[slice].exposure = 1.0;
}

/// One invocation's part.
void onepass_write_result(uint slice) {
  uint2 weight = onepass_item(ONEPASS_ITEM_WEIGHT);
  bool valid = (weight.x | weight.y) != 0u;
  bool has_history = pc.seconds >= 0.0 && onepass_results[slice].has_history != 0u;
  onepass_results[slice].valid = valid ? 1u : 0u;
  onepass_results[slice].has_history = valid || has_history ? 1u : 0u;
  onepass_results[slice].finite_count = onepass_count(0u);
  onepass_results[slice].nan_count = onepass_count(1u);
  onepass_results[slice].infinite_count = onepass_count(2u);
  onepass_results[slice].negative_count = onepass_count(3u);
  onepass_results[slice].zero_count = onepass_count(4u);
  onepass_results[slice].total_weight = weight;
  onepass_results[slice].zero_weight = onepass_item(ONEPASS_ITEM_ZERO_WEIGHT);
  onepass_results[slice].reserved0 = 0u;
  onepass_results[slice].reserved1 = 0u;
  onepass_results[slice].reserved2 = 0u;
  if (valid) {
    float metered = clamp(onepass_write_statistics(slice, weight), pc.log2_low, pc.log2_high);
    onepass_write_exposure(slice, metered, has_history);
  } else {
    onepass_write_nothing(slice);
  }
}

// The invocation that writes the result: in no subgroup with those that write percentiles.
#define ONEPASS_RESULT_LANE 128u

void onepass_finish_meter(uint slice, uint base, uint lane) {
  if (lane == 0u) {
    s_first_bin = BINS;
    s_end_bin = 0u;
    onepass_words[base] = 0u;  // nobody has arrived at the next dispatch
  }
  LuminanceTaken taken = onepass_take(base, lane);
  onepass_set_sum(taken, lane);
  onepass_finish_histogram(slice, onepass_bins_of(taken), lane);
  if (lane == ONEPASS_RESULT_LANE) onepass_write_result(slice);
}

#endif  // ONEPASS_LUMINANCE_FINISH_GLSL_
