// finish.cpp: computes means, percentiles, the histogram of the result, adaptation and exposure of a slice from its
// sums and counted bins. Vulkan version: shaders/onepass/luminance_finish.glsl.
#include "luminance/finish.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "image/log2.hpp"

namespace onepass::luminance {
namespace {

static_assert(sizeof(MeterResult) == sizeof(LuminanceResult));
static_assert(offsetof(MeterResult, exposure) == offsetof(LuminanceResult, exposure) &&
              offsetof(MeterResult, mean_colour) == offsetof(LuminanceResult, mean_red) &&
              offsetof(MeterResult, finite_count) == offsetof(LuminanceResult, finite_count) &&
              offsetof(MeterResult, adapted_log2) == offsetof(LuminanceResult, adapted_log2) &&
              offsetof(MeterResult, total_weight) == offsetof(LuminanceResult, total_weight) &&
              offsetof(MeterResult, percentiles) == offsetof(LuminanceResult, percentiles) &&
              offsetof(MeterResult, histogram) == offsetof(LuminanceResult, histogram));

constexpr float kLeast = 0x1p-126F;  // the least normal float

/// 2^x, for an x of more precision than a float has.
float exp2_of_double(double x) {
  const double whole = std::floor(x + 0.5);
  return exp2_parts(static_cast<int32_t>(whole), static_cast<float>(x - whole));
}

/// The counted histogram and the position of its bins.
struct Bins {
  std::span<const uint64_t> weights;
  uint64_t below;  ///< Weight of pixels of luminance 0.
  float low, scale;
  float min, max;  ///< Of luminance.

  [[nodiscard]] float edge(size_t i) const { return low + static_cast<float>(i) / scale; }
  [[nodiscard]] float middle(size_t i) const { return low + (static_cast<float>(i) + 0.5F) / scale; }

  /// The range of log2 luminance in a bin: its edges, or the image's min and max where these are narrower.
  [[nodiscard]] std::pair<float, float> range(size_t i) const {
    const float least = min > 0.0F ? log2_of(std::max(min, kLeast)) : edge(0);
    const float most = log2_of(std::max(max, kLeast));
    const float from = i == 0 ? least : std::max(edge(i), least);
    const float to = i + 1 == weights.size() ? most : std::min(edge(i + 1), most);
    return {std::min(from, to), to};
  }
};

float percentile(const Bins& bins, uint64_t total, float share) {
  const double rank = static_cast<double>(share) * static_cast<double>(total);
  if (rank <= 0.0) return bins.min;
  if (rank <= static_cast<double>(bins.below)) return 0.0F;
  uint64_t before = bins.below;
  for (size_t i = 0; i < bins.weights.size(); ++i) {
    const uint64_t weight = bins.weights[i];
    if (weight != 0 && rank <= static_cast<double>(before + weight)) {
      const auto [from, to] = bins.range(i);
      const auto within = static_cast<float>((rank - static_cast<double>(before)) / static_cast<double>(weight));
      return std::clamp(exp2_of(from + (to - from) * within), bins.min, bins.max);
    }
    before += weight;
  }
  return bins.max;
}

/// The log2 luminances between which pixels count in the clipped mean: at least the floor, which is delta or the middle
/// of bin 0; within the image's min and max where these are narrower.
std::pair<float, float> clipped_range(const Bins& bins, const LuminanceParams& params) {
  const float floor = std::max(log2_of(std::max(params.delta, kLeast)), bins.middle(0));
  const float low = std::max(floor, log2_of(std::max(bins.min, kLeast)));
  return {low, std::max(low, log2_of(std::max(bins.max, kLeast)))};
}

/// The mean of log2 luminance between the shares clip_low and clip_high of the weight. Each pixel counts as a luminance
/// that never decreases with its own: the middle of its bin, clamped to clipped_range().
double clipped_log2(const Bins& bins, uint64_t total, const LuminanceParams& params) {
  const auto [darkest, brightest] = clipped_range(bins, params);
  const double low = static_cast<double>(params.clip_low) * static_cast<double>(total);
  const double high = static_cast<double>(params.clip_high) * static_cast<double>(total);
  double before = 0;
  double sum = 0;
  const auto add = [&](uint64_t weight, float log2_luminance) {
    const double after = before + static_cast<double>(weight);
    const double overlap = std::min(after, high) - std::max(before, low);
    if (overlap > 0) sum += overlap * static_cast<double>(log2_luminance);
    before = after;
  };
  add(bins.below, darkest);
  for (size_t i = 0; i < bins.weights.size(); ++i) {
    add(bins.weights[i], std::clamp(bins.middle(i), darkest, brightest));
  }
  return sum / (high - low);
}

/// Writes the result's histogram: the counted bins, or sums of n adjacent bins, with the smallest n for which 256 sums
/// hold all bins with weight.
void show_histogram(const Bins& bins, MeterResult& result) {
  size_t first = 0;
  size_t join = 1;
  if (bins.weights.size() != result.histogram.size()) {
    const auto counted = [](uint64_t weight) { return weight != 0; };
    const auto begin = std::find_if(bins.weights.begin(), bins.weights.end(), counted);
    const auto end = std::find_if(bins.weights.rbegin(), bins.weights.rend(), counted).base();
    if (begin != bins.weights.end()) {
      first = static_cast<size_t>(begin - bins.weights.begin());
      join = (static_cast<size_t>(end - begin) + result.histogram.size() - 1) / result.histogram.size();
    }
  }
  result.histogram = {};
  for (size_t i = first; i < std::min(bins.weights.size(), first + join * result.histogram.size()); ++i) {
    result.histogram[(i - first) / join] += bins.weights[i];
  }
  result.histogram_low = bins.edge(first);
  result.histogram_high = bins.edge(first + join * result.histogram.size());
}

/// How many stops adaptation moves towards a target `distance` stops away: at `speed` until `ease` stops are left, then
/// exponentially slower.
float adapted_distance(float distance, float speed, float ease, float seconds) {
  constexpr float kLog2E = 1.44269504F;
  const float until_ease = std::max(distance - ease, 0.0F) / speed;
  if (seconds <= until_ease) return speed * seconds;
  if (ease == 0.0F) return distance;
  const float left = std::min(distance, ease) * exp2_of(-(seconds - until_ease) * (speed / ease) * kLog2E);
  return distance - left;
}

/// The state before the first image with light.
void start(MeterResult& result) {
  result.has_history = 0;
  result.adapted_log2 = 0.0F;
  result.adapted_luminance = 0.0F;
  result.ev100 = 0.0F;
  result.exposure = 1.0F;
}

/// `is_dark`: no pixel is brighter than the floor. Such an image does not begin a history: the first one with light is
/// not adapted.
void adapt(const LuminanceParams& params, float log2_luminance, bool is_dark, MeterResult& result) {
  float adapted = log2_luminance;
  // A caller's result may hold any bits: a history that is not finite counts as none.
  const bool has_history = result.has_history != 0 && std::isfinite(result.adapted_log2);
  if (is_dark && !has_history) return start(result);
  if (has_history) {
    const float distance = log2_luminance - result.adapted_log2;
    const float speed = distance > 0.0F ? params.up : params.down;
    const float moved = adapted_distance(std::abs(distance), speed, params.ease, params.seconds);
    adapted = result.adapted_log2 + (distance > 0.0F ? moved : -moved);
  }
  result.has_history = 1;
  result.adapted_log2 = adapted;
  result.adapted_luminance = exp2_of(adapted);
  result.ev100 = adapted + params.ev_offset;
  result.exposure = exp2_of(params.exposure_offset - adapted);
}

/// The result without pixels to meter: exposure and the state of adaptation stay, statistics are 0.
MeterResult nothing_metered(const MeterResult& before) {
  MeterResult result;
  result.exposure = before.exposure > 0.0F ? before.exposure : 1.0F;
  result.ev100 = before.ev100;
  result.adapted_luminance = before.adapted_luminance;
  result.adapted_log2 = before.adapted_log2;
  result.has_history = before.has_history;
  return result;
}

}  // namespace

void finish_meter(const MeterOptions& options, const LuminanceParams& params, const MeterTotals& totals,
                  std::span<const uint64_t> histogram, MeterResult& result) {
  MeterResult out = nothing_metered(result);
  if (params.seconds < 0.0F) out.has_history = 0;
  out.finite_count = static_cast<uint32_t>(totals.finite);
  out.nan_count = static_cast<uint32_t>(totals.nan);
  out.infinite_count = static_cast<uint32_t>(totals.infinite);
  out.negative_count = static_cast<uint32_t>(totals.negative);
  out.zero_count = static_cast<uint32_t>(totals.zero);
  out.total_weight = totals.weight;
  out.zero_weight = totals.zero_weight;
  if (totals.weight != 0) {
    const auto weight = static_cast<double>(totals.weight);
    out.valid = 1;
    out.mean_colour = {static_cast<float>(totals.red / weight), static_cast<float>(totals.green / weight),
                       static_cast<float>(totals.blue / weight)};
    out.mean_luminance = static_cast<float>(totals.luminance / weight);
    out.min_luminance = totals.min;
    out.max_luminance = totals.max;
    double log2_luminance = (static_cast<double>(totals.log2_whole) + totals.log2_fraction) / weight;
    out.log_average = exp2_of_double(log2_luminance);
    const Bins bins{histogram, totals.zero_weight, params.bin_low, params.bin_scale, totals.min, totals.max};
    for (size_t i = 0; i < out.percentiles.size(); ++i) {
      out.percentiles[i] = percentile(bins, totals.weight, params.percentiles[i]);
    }
    show_histogram(bins, out);
    if (options.statistic == MeterStatistic::kMean) log2_luminance = log2_of(std::max(out.mean_luminance, kLeast));
    if (options.statistic == MeterStatistic::kPercentiles) log2_luminance = clipped_log2(bins, totals.weight, params);
    const float metered = std::clamp(static_cast<float>(log2_luminance), params.log2_low, params.log2_high);
    out.metered_luminance = exp2_of(metered);
    adapt(params, metered, totals.max <= std::max(params.delta, kLeast), out);
  } else {
    out.histogram_low = params.bin_low;
    out.histogram_high = params.bin_low + static_cast<float>(ONEPASS_LUMINANCE_BINS) / params.bin_scale;
  }
  result = out;
}

}  // namespace onepass::luminance
