// luminance_finish.glsl: one workgroup's way from a slice's partial sums and histogram to its result: part of
// luminance_meter.glsl. Its twin on the CPU is src/luminance/finish.cpp.
#ifndef ONEPASS_LUMINANCE_FINISH_GLSL_
#define ONEPASS_LUMINANCE_FINISH_GLSL_

groupshared uint s_first_bin;
groupshared uint s_end_bin;
groupshared float s_clipped;
groupshared uint s_shown[2 * ONEPASS_LUMINANCE_BINS];  // the histogram of the result: 16 bits a bin, then the rest

/// Adds partial sums up in the order of their numbers; s_items is the slice's.
void onepass_join_partials(uint base, uint lane) {
  LuminanceItems mine;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_ITEMS; ++i) mine.items[i] = onepass_nothing(i);
  uint rounds = (pc.groups + 255u) / 256u;
  ONEPASS_LOOP for (uint round = 0u; round < rounds; ++round) {
    uint group = round * 256u + lane;
    uint from = base + 4u + 2u * BINS + min(group, pc.groups - 1u);
    uint words[2 * ONEPASS_LUMINANCE_ITEMS];  // all under way before the first is used
    ONEPASS_UNROLL for (uint i = 0u; i < 2 * ONEPASS_LUMINANCE_ITEMS; ++i) words[i] = onepass_words[from + i * pc.groups];
    if (group < pc.groups) {
      ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_ITEMS; ++i) {
        mine.items[i] = onepass_join(i, mine.items[i], uint2(words[2 * i], words[2 * i + 1]));
      }
    }
  }
  onepass_join_counts(mine);
  onepass_join_sums(mine, lane);
}

uint2 onepass_item(uint i) { return uint2(s_items[2u * i], s_items[2u * i + 1u]); }
float onepass_item_sum(uint i) { return onepass_bits_float(s_items[2u * i]); }

/// The weight of all lanes before this one: of those in its row of sixteen, and of the rows before. Uses s_pool.
uint2 onepass_weight_before(uint2 weight, uint lane) {
  s_pool[lane] = weight.x;
  s_pool[256u + lane] = weight.y;
  onepass_group_barrier();  // all weights are there
  uint place = lane % 16u;
  uint2 before = uint2(0u, 0u);
  ONEPASS_UNROLL for (uint i = 0u; i < 15u; ++i) {
    uint2 other = uint2(s_pool[lane - place + i], s_pool[256u + lane - place + i]);
    before = onepass_add_wide(before, i < place ? other : uint2(0u, 0u));
  }
  uint2 row = onepass_add_wide(before, weight);
  if (place == 15u) {
    s_pool[512u + lane / 16u] = row.x;
    s_pool[528u + lane / 16u] = row.y;
  }
  onepass_group_barrier();  // the weights of all rows are there
  ONEPASS_UNROLL for (uint i = 0u; i < 15u; ++i) {
    uint2 other = uint2(s_pool[512u + i], s_pool[528u + i]);
    before = onepass_add_wide(before, i < lane / 16u ? other : uint2(0u, 0u));
  }
  onepass_group_barrier();  // s_pool is free again
  return before;
}

float onepass_bin_edge(uint bin) { return pc.bin_low + float(bin) / pc.bin_scale; }

/// A luminance in a bin, `share` of the bin's weight up.
float onepass_luminance_in_bin(uint bin, float share) {
  float low = onepass_bits_float(s_items[2u * ONEPASS_ITEM_RANGE]);
  float high = onepass_bits_float(s_items[2u * ONEPASS_ITEM_RANGE + 1u]);
  float least = low > 0.0 ? onepass_log2(max(low, ONEPASS_LEAST_NORMAL)) : onepass_bin_edge(0u);
  float most = onepass_log2(max(high, ONEPASS_LEAST_NORMAL));
  float to = bin + 1u == BINS ? most : min(onepass_bin_edge(bin + 1u), most);
  float from = min(bin == 0u ? least : max(onepass_bin_edge(bin), least), to);
  return clamp(onepass_exp2(from + (to - from) * share), low, high);
}

struct LuminanceBins {
  uint2 weights[ONEPASS_LUMINANCE_FINE_BINS / 256];  // of an invocation: ONEPASS_BINS_OF_LANE
};

/// An invocation's bins of the slice, which become zero.
LuminanceBins onepass_take_bins(uint base, uint lane) {
  LuminanceBins bins;
  uint low[ONEPASS_LUMINANCE_FINE_BINS / 256];  // all under way before the first is used
  uint high[ONEPASS_LUMINANCE_FINE_BINS / 256];
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    low[i] = 0u;
    high[i] = 0u;
    if (i < ONEPASS_BINS_OF_LANE) {
      low[i] = onepass_words[base + 4u + i * 256u + lane];
      high[i] = onepass_words[base + 4u + BINS + i * 256u + lane];
    }
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    bins.weights[i] = onepass_add_wide(uint2(low[i], 0u), uint2(high[i] << 16, high[i] >> 16));
    if (i < ONEPASS_BINS_OF_LANE) {
      onepass_words[base + 4u + i * 256u + lane] = 0u;
      onepass_words[base + 4u + BINS + i * 256u + lane] = 0u;
    }
  }
  return bins;
}

/// Percentile `i`. s_pool has the weight up to the end of each bin, as floats.
float onepass_percentile(uint i, float zero, float total) {
  float rank = pc.percentiles[i] * total;
  float low = onepass_bits_float(s_items[2u * ONEPASS_ITEM_RANGE]);
  uint bin = 0u;  // the first whose end is not before the rank
  ONEPASS_LOOP for (uint step = BINS / 2u; step > 0u; step >>= 1u) {
    bin += onepass_bits_float(s_pool[onepass_bin_word(bin + step - 1u)]) < rank ? step : 0u;
  }
  float to = onepass_bits_float(s_pool[onepass_bin_word(bin)]);
  float end_before = onepass_bits_float(s_pool[onepass_bin_word(max(bin, 1u) - 1u)]);  // HLSL reads it in any case
  float from = bin == 0u ? zero : end_before;
  if (rank <= zero || rank > to) return rank <= 0.0 && total > 0.0 ? low : 0.0;
  return onepass_luminance_in_bin(bin, (rank - from) / (to - from));
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

/// Histogram, percentiles and the clipped mean.
void onepass_finish_histogram(uint slice, LuminanceBins bins, uint lane) {
  uint2 mine = uint2(0u, 0u);
  uint first_bin = BINS;
  uint end_bin = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    mine = onepass_add_wide(mine, bins.weights[i]);
    if ((bins.weights[i].x | bins.weights[i].y) != 0u) {
      uint bin = lane * ONEPASS_BINS_OF_LANE + i;
      first_bin = min(first_bin, bin);
      end_bin = bin + 1u;
    }
  }
  if (end_bin != 0u) {
    onepass_shared_min(s_first_bin, first_bin);
    onepass_shared_max(s_end_bin, end_bin);
  }
  uint2 before = onepass_add_wide(onepass_weight_before(mine, lane), onepass_item(ONEPASS_ITEM_ZERO_WEIGHT));
  uint first = BINS == ONEPASS_LUMINANCE_BINS || s_first_bin >= s_end_bin ? 0u : s_first_bin;
  uint wide = s_first_bin < s_end_bin ? s_end_bin - s_first_bin : 1u;
  uint join = BINS == ONEPASS_LUMINANCE_BINS ? 1u : (wide + 255u) / 256u;
  float total = onepass_float_wide(onepass_item(ONEPASS_ITEM_WEIGHT));
  float zero = onepass_float_wide(onepass_item(ONEPASS_ITEM_ZERO_WEIGHT));
  float clipped = 0.0;
  if (STATISTIC == 2u && lane == 0u) {
    clipped = onepass_clipped_part(0.0, zero, total, onepass_log2(max(pc.delta, ONEPASS_LEAST_NORMAL)));
  }
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_FINE_BINS / 256; ++i) {
    if (i < ONEPASS_BINS_OF_LANE) {
      uint2 weight = bins.weights[i];
      uint bin = lane * ONEPASS_BINS_OF_LANE + i;
      uint2 after = onepass_add_wide(before, weight);
      s_pool[onepass_bin_word(bin)] = onepass_float_bits(onepass_float_wide(after));
      if ((weight.x | weight.y) != 0u) {
        if (STATISTIC == 2u) {
          clipped += onepass_clipped_part(onepass_float_wide(before), onepass_float_wide(after), total,
                                          (onepass_bin_edge(bin) + onepass_bin_edge(bin + 1u)) * 0.5);
        }
        uint shown = (bin - first) / join;
        onepass_shared_add(s_shown[shown], weight.x & 0xFFFFu);
        onepass_shared_add(s_shown[256u + shown], (weight.x >> 16) | (weight.y << 16));
      }
      before = after;
    }
  }
  onepass_group_barrier();  // the shown histogram and the weights before each bin are complete
  if (lane < ONEPASS_LUMINANCE_PERCENTILES) {
    onepass_results[slice].percentiles[lane] = onepass_percentile(lane, zero, total);
  }
  uint rest = s_shown[256u + lane];
  onepass_results[slice].histogram[lane] = onepass_add_wide(uint2(s_shown[lane], 0u), uint2(rest << 16, rest >> 16));
  if (lane == 0u) {
    onepass_results[slice].histogram_low = onepass_bin_edge(first);
    onepass_results[slice].histogram_high = onepass_bin_edge(first + join * ONEPASS_LUMINANCE_BINS);
  }
  if (STATISTIC == 2u) {
    onepass_group_barrier();  // s_pool is read
    onepass_sum_lanes(clipped, lane);
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
  return onepass_float_wide(rest) / divisor + onepass_item_sum(ONEPASS_ITEM_LOG) / divisor;
}

/// The luminance exposure is for, and the statistics it may be made from.
float onepass_write_statistics(uint slice, uint2 weight) {
  float per_weight = 4294967296.0 / onepass_float_wide(weight);
  onepass_results[slice].mean_red = onepass_item_sum(0u) * per_weight;
  onepass_results[slice].mean_green = onepass_item_sum(1u) * per_weight;
  onepass_results[slice].mean_blue = onepass_item_sum(2u) * per_weight;
  float mean = onepass_item_sum(3u) * per_weight;
  onepass_results[slice].mean_luminance = mean;
  onepass_results[slice].min_luminance = onepass_bits_float(s_items[2u * ONEPASS_ITEM_RANGE]);
  onepass_results[slice].max_luminance = onepass_bits_float(s_items[2u * ONEPASS_ITEM_RANGE + 1u]);
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
  onepass_results[slice].finite_count = s_items[2u * ONEPASS_ITEM_COUNTS];
  onepass_results[slice].nan_count = s_items[2u * ONEPASS_ITEM_COUNTS + 1u];
  onepass_results[slice].infinite_count = s_items[2u * ONEPASS_ITEM_COUNTS + 2u];
  onepass_results[slice].negative_count = s_items[2u * ONEPASS_ITEM_COUNTS + 3u];
  onepass_results[slice].zero_count = s_items[2u * ONEPASS_ITEM_COUNTS + 4u];
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
  s_shown[lane] = 0u;
  s_shown[256u + lane] = 0u;
  onepass_clear_counts(lane);
  onepass_group_barrier();  // all counts are of nothing
  LuminanceBins bins = onepass_take_bins(base, lane);
  onepass_join_partials(base, lane);
  onepass_finish_histogram(slice, bins, lane);
  if (lane == ONEPASS_RESULT_LANE) onepass_write_result(slice);
}

#endif  // ONEPASS_LUMINANCE_FINISH_GLSL_
