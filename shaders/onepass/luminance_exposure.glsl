// luminance_exposure.glsl: means of a slice, adaptation over time and the exposure, in one invocation. Part of
// luminance_finish.glsl.
#ifndef ONEPASS_LUMINANCE_EXPOSURE_GLSL_
#define ONEPASS_LUMINANCE_EXPOSURE_GLSL_

#include "onepass/prelude_names.glsl"

/// How many stops adaptation moves towards a target `distance` stops away: at `speed` until pc.ease stops are left,
/// then exponentially slower.
float onepass_adapted_distance(float distance, float speed) {
  float until_ease = max(distance - pc.ease, 0.0) / speed;
  if (pc.seconds <= until_ease) return speed * pc.seconds;
  if (pc.ease == 0.0) return distance;
  return distance - min(distance, pc.ease) * onepass_exp2(-(pc.seconds - until_ease) * (speed / pc.ease) * 1.44269504);
}

/// log2 of the log-average, whole / weight - 127 + fractions / weight: the exact `integer` plus the returned part.
float onepass_mean_log2(uint2 weight, ONEPASS_OUT(int) integer) {
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
  return onepass_float_wide(rest) / divisor +
         onepass_item_sum(ONEPASS_ITEM_LOG) * (ONEPASS_WIDE_WEIGHTS ? 256.0 : 1.0) / divisor;
}

/// Writes means, range and log-average. Returns log2 of the luminance that STATISTIC selects.
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
  if (STATISTIC == 2u) {
    return onepass_clipped_range().x + s_clipped / ((pc.clip_high - pc.clip_low) * onepass_float_wide(weight));
  }
  return float(integer) + part;
}

/// Without pixels brighter than the floor and without a history: the state before the first image with light, which is
/// then not adapted.
void onepass_write_start(uint slice, float metered) {
  onepass_results[slice].metered_luminance = onepass_exp2(metered);
  onepass_results[slice].adapted_log2 = 0.0;
  onepass_results[slice].adapted_luminance = 0.0;
  onepass_results[slice].ev100 = 0.0;
  onepass_results[slice].exposure = 1.0;
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

/// No pixels to meter: statistics become 0; exposure keeps its value, or becomes 1.
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

/// Writes all but histogram and percentiles, in one invocation.
void onepass_write_result(uint slice) {
  uint2 weight = onepass_item(ONEPASS_ITEM_WEIGHT);
  bool valid = (weight.x | weight.y) != 0u;
  bool has_history = pc.seconds >= 0.0 && onepass_results[slice].has_history != 0u;
  onepass_results[slice].valid = valid ? 1u : 0u;
  bool starts = valid && !has_history && onepass_most() <= max(pc.delta, ONEPASS_LEAST_NORMAL);
  onepass_results[slice].has_history = (valid && !starts) || has_history ? 1u : 0u;
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
    if (starts) {
      onepass_write_start(slice, metered);
    } else {
      onepass_write_exposure(slice, metered, has_history);
    }
  } else {
    onepass_write_nothing(slice);
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LUMINANCE_EXPOSURE_GLSL_
