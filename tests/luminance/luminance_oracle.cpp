// luminance_oracle.cpp: keeps each pixel's luminance with the largest error that floats allow, and accepts results
// between the ranks of the least and the largest values. Adaptation is integrated in 200000 steps.
#include "tests/luminance/luminance_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace onepass::testing {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

constexpr double kFloatRounding = 0x1p-23;
constexpr auto kBins = static_cast<double>(MeterResult{}.histogram.size());

const double kWeights[3][3] = {{0.2126, 0.7152, 0.0722}, {0.2627, 0.6780, 0.0593}, {0.2722287, 0.6740818, 0.0536895}};

Rect rect_of(const MeterOptions& options) {
  const bool whole = options.rect.width == 0 && options.rect.height == 0;
  return whole ? Rect{0, 0, options.size.width, options.size.height} : options.rect;
}

/// Weight of pixel (x, y) of the rectangle: in floats, as docs/luminance.md defines it.
uint32_t weight_of(const MeterOptions& options, uint32_t x, uint32_t y, const std::vector<double>& mask) {
  const Rect rect = rect_of(options);
  const auto width = static_cast<float>(rect.width);
  const auto height = static_cast<float>(rect.height);
  const auto squared = [&](float sum) { return sum * sum; };
  const auto distance = [&](float radius_of_width, float radius_of_height) {
    const float px = (static_cast<float>(x) - (options.centre_x * width - 0.5F)) * (2.0F / radius_of_width);
    const float py = (static_cast<float>(y) - (options.centre_y * height - 0.5F)) * (2.0F / radius_of_height);
    return squared(px) + squared(py);
  };
  switch (options.metering) {
    case Metering::kAverage:
      return 1;
    case Metering::kCentreWeighted: {
      const float radius = options.radius > 0 ? options.radius : std::sqrt(2.0F);
      const float rest = std::max(0.0F, 1.0F - distance(radius * width, radius * height));
      return static_cast<uint32_t>(std::floor(squared(rest) * 255.0F + 0.5F));
    }
    case Metering::kSpot: {
      const float side = (options.radius > 0 ? options.radius : 0.1F) * std::min(width, height);
      return distance(side, side) <= 1.0F ? 1 : 0;
    }
    case Metering::kMask: {
      const double value = mask[(size_t{rect.y + y} * options.size.width + rect.x + x) * 4];
      return value > 0 ? static_cast<uint32_t>(std::lround(std::min(value, 1.0) * 255)) : 0;
    }
  }
  return 0;
}

AssertionResult near(const char* what, double expected, double actual, double tolerance) {
  if (std::abs(expected - actual) <= tolerance) return AssertionSuccess();
  return AssertionFailure() << what << ": " << actual << ", expected " << expected << " within " << tolerance;
}

template <typename T>
AssertionResult same(const char* what, T expected, T actual) {
  if (expected == actual) return AssertionSuccess();
  return AssertionFailure() << what << ": " << actual << ", expected " << expected;
}

/// Sorts, and replaces weights by cumulative weights.
void accumulate(std::vector<std::pair<double, uint64_t>>& sorted) {
  std::sort(sorted.begin(), sorted.end());
  uint64_t weight = 0;
  for (auto& entry : sorted) weight = entry.second += weight;
}

uint64_t weight_up_to(const std::vector<std::pair<double, uint64_t>>& sorted, double edge) {
  const auto end = std::lower_bound(sorted.begin(), sorted.end(), std::pair<double, uint64_t>{edge, 0});
  return end == sorted.begin() ? 0 : std::prev(end)->second;
}

/// Weight of the pixels whose log2 luminance is surely, and possibly, below `edge`.
std::pair<uint64_t, uint64_t> weight_below(const OracleMeter& meter, double edge) {
  return {weight_up_to(meter.most, edge), weight_up_to(meter.least, edge)};
}

AssertionResult histogram_matches(const MeterOptions& options, const OracleMeter& expected, const MeterResult& result) {
  const bool automatic = options.histogram_low == options.histogram_high;
  const double low = static_cast<double>(result.histogram_low);
  const double width = (static_cast<double>(result.histogram_high) - low) / kBins;
  if (automatic) {
    const double steps = width * 32;
    if (steps != std::round(steps) || low * 32 != std::round(low * 32)) {
      return AssertionFailure() << "bins of " << steps << " / 32 stops from " << low;
    }
    // No wider than needed: with the next narrower bins, the brightest pixel would be outside.
    const double finer = low + (width - 1.0 / 32) * kBins;
    if (steps > 1 && expected.max > 0 && std::log2(expected.max) < finer - 1e-3 && finer < 32) {
      return AssertionFailure() << "bins of " << steps << " / 32 stops, but the brightest is " << expected.max;
    }
  } else if (options.histogram_low != result.histogram_low ||
             std::abs(options.histogram_high - result.histogram_high) > 1e-4F) {
    return AssertionFailure() << "range " << result.histogram_low << " to " << result.histogram_high;
  }
  uint64_t below = result.zero_weight;
  for (size_t i = 0; i < result.histogram.size(); ++i) {
    below += result.histogram[i];
    const bool last = i + 1 == result.histogram.size();
    const auto [surely, possibly] = last ? std::pair{expected.weight, expected.weight}
                                         : weight_below(expected, low + width * (static_cast<double>(i) + 1));
    if (below < surely || below > possibly) {
      return AssertionFailure() << "bin " << i << ": " << below << " of " << expected.weight << " up to it, expected "
                                << surely << " to " << possibly;
    }
  }
  return AssertionSuccess();
}

/// A percentile is interpolated: it may be off by one bin at most.
AssertionResult percentiles_match(const MeterOptions& options, const OracleMeter& expected, const MeterResult& result) {
  const bool automatic = options.histogram_low == options.histogram_high;
  const double bin = automatic ? 1.0 / 32 : static_cast<double>(options.histogram_high - options.histogram_low) / kBins;
  for (size_t i = 0; i < options.percentiles.size(); ++i) {
    const auto value = static_cast<double>(result.percentiles[i]);
    const double rank = static_cast<double>(options.percentiles[i]) * static_cast<double>(expected.weight);
    const double slack = 1e-6 * static_cast<double>(expected.weight);
    if (value < expected.min * (1 - 2e-6) - expected.log_error || value > expected.max * (1 + 2e-6) + 1e-30) {
      return AssertionFailure() << "percentile " << options.percentiles[i] << ": " << value << " is not within "
                                << expected.min << " and " << expected.max;
    }
    const double stops = value > 0 ? std::log2(value) : -1e4;
    const bool outside = !automatic && (stops < static_cast<double>(options.histogram_low) + bin ||
                                        stops > static_cast<double>(options.histogram_high) - bin);
    if (outside) continue;  // the first and the last bin also count all values beyond the range
    const auto least = static_cast<double>(weight_below(expected, value > 0 ? stops - 1.01 * bin : -1e4).first);
    const auto most = static_cast<double>(weight_below(expected, value > 0 ? stops + 1.01 * bin : -900).second);
    if (rank < least - slack || rank > most + slack) {
      return AssertionFailure() << "percentile " << options.percentiles[i] << ": " << value << " has ranks " << least
                                << " to " << most << ", expected " << rank;
    }
  }
  return AssertionSuccess();
}

}  // namespace

OracleMeter oracle_meter(const MeterOptions& options, const ImageView& source, uint32_t slice, const ImageView& mask,
                         double decode_error) {
  const Rect rect = rect_of(options);
  const bool grey = format_info(options.source).channels < 3;
  const std::vector<double> texels = oracle_decode(source, slice);
  const std::vector<double> mask_texels =
      options.metering == Metering::kMask ? oracle_decode(mask, 0) : std::vector<double>();
  const double* weights = kWeights[static_cast<size_t>(options.weights)];
  OracleMeter meter;
  meter.min = std::numeric_limits<double>::infinity();
  long double logs = 0;
  for (uint32_t y = 0; y < rect.height; ++y) {
    for (uint32_t x = 0; x < rect.width; ++x) {
      const uint32_t w = weight_of(options, x, y, mask_texels);
      if (w == 0) continue;
      const double* texel = &texels[(size_t{rect.y + y} * options.size.width + rect.x + x) * 4];
      const double rgb[3] = {texel[0], grey ? texel[0] : texel[1], grey ? texel[0] : texel[2]};
      const auto any = [&](auto is) { return is(rgb[0]) || is(rgb[1]) || is(rgb[2]); };
      if (any([](double v) { return std::isnan(v); })) {
        ++meter.nan;
        continue;
      }
      if (any([](double v) { return std::isinf(v); })) {
        ++meter.infinite;
        continue;
      }
      double raw = grey ? rgb[0] : 0;
      double magnitude = grey ? std::abs(rgb[0]) : 0;
      for (int c = 0; c < 3; ++c) {
        if (!grey) raw += weights[c] * rgb[c];
        if (!grey) magnitude += weights[c] * std::abs(rgb[c]);
        meter.mean_colour[c] += w * rgb[c];
        meter.mean_magnitude[c] += w * std::abs(rgb[c]);
      }
      ++meter.finite;
      meter.negative += raw < 0 ? 1 : 0;
      meter.zero += raw == 0 ? 1 : 0;
      OraclePixel pixel{std::max(raw, 0.0), magnitude * kFloatRounding + decode_error, w};
      if (raw <= 0) pixel.error = 0;
      meter.zero_weight += raw <= 0 ? w : 0;
      meter.weight += w;
      meter.mean_luminance += w * pixel.luminance;
      meter.mean_error += w * pixel.error;
      const double argument = std::max(static_cast<double>(options.delta) + pixel.luminance, 0x1p-126);
      logs += static_cast<long double>(w) * std::log2(static_cast<long double>(argument));
      meter.log_error += w * pixel.error / argument;
      meter.min = std::min(meter.min, pixel.luminance);
      meter.max = std::max(meter.max, pixel.luminance);
      meter.pixels.push_back(pixel);
    }
  }
  if (meter.weight == 0) return meter;
  for (const OraclePixel& pixel : meter.pixels) {
    constexpr double kStops = 0x1p-18;  // error allowed for an engine's logarithm
    meter.most.emplace_back(std::log2(std::max(pixel.luminance + pixel.error, 1e-300)) + kStops, pixel.weight);
    meter.least.emplace_back(std::log2(std::max(pixel.luminance - pixel.error, 1e-300)) - kStops, pixel.weight);
  }
  accumulate(meter.most);
  accumulate(meter.least);
  const auto weight = static_cast<double>(meter.weight);
  for (int c = 0; c < 3; ++c) {
    meter.mean_colour[c] /= weight;
    meter.mean_magnitude[c] = meter.mean_magnitude[c] / weight;
  }
  meter.mean_luminance /= weight;
  meter.mean_error /= weight;
  meter.log_average = static_cast<double>(std::exp2(logs / weight));
  meter.log_error /= weight;
  if (decode_error > 0) {
    for (double& magnitude : meter.mean_magnitude) magnitude += decode_error / 1e-6;
  }
  return meter;
}

AssertionResult result_matches(const MeterOptions& options, const OracleMeter& expected, const MeterResult& result) {
  constexpr double kRelative = 1e-6;
  const std::pair<const char*, std::pair<uint64_t, uint64_t>> counts[] = {
      {"finite_count", {expected.finite, result.finite_count}},
      {"nan_count", {expected.nan, result.nan_count}},
      {"infinite_count", {expected.infinite, result.infinite_count}},
      {"negative_count", {expected.negative, result.negative_count}},
      {"zero_count", {expected.zero, result.zero_count}},
      {"total_weight", {expected.weight, result.total_weight}},
      {"zero_weight", {expected.zero_weight, result.zero_weight}},
      {"valid", {expected.weight > 0 ? 1 : 0, result.valid}}};
  for (const auto& [what, pair] : counts) {
    if (auto checked = same(what, pair.first, pair.second); !checked) return checked;
  }
  if (expected.weight == 0) return AssertionSuccess();
  static constexpr const char* kChannels[] = {"mean red", "mean green", "mean blue"};
  for (size_t c = 0; c < 3; ++c) {
    auto checked = near(kChannels[c], expected.mean_colour[c], static_cast<double>(result.mean_colour[c]),
                        kRelative * expected.mean_magnitude[c]);
    if (!checked) return checked;
  }
  const double mean_tolerance = std::max(kRelative * expected.mean_luminance, 1.5 * expected.mean_error);
  const double log_tolerance = std::max(kRelative, 3 * expected.log_error) * expected.log_average;
  const auto error_at = [&](double luminance) {
    double error = kRelative * luminance;
    for (const OraclePixel& pixel : expected.pixels) {
      if (pixel.luminance == luminance) error = std::max(error, pixel.error);
    }
    return error;
  };
  for (const auto& checked :
       {near("mean_luminance", expected.mean_luminance, static_cast<double>(result.mean_luminance), mean_tolerance),
        near("log_average", expected.log_average, static_cast<double>(result.log_average), log_tolerance),
        near("min_luminance", expected.min, static_cast<double>(result.min_luminance), error_at(expected.min)),
        near("max_luminance", expected.max, static_cast<double>(result.max_luminance), error_at(expected.max)),
        histogram_matches(options, expected, result), percentiles_match(options, expected, result)}) {
    if (!checked) return checked;
  }
  return AssertionSuccess();
}

double oracle_adapted(const Adaptation& adaptation, double from, double to, double seconds) {
  constexpr int kSteps = 200000;
  const double h = seconds / kSteps;
  const auto ease = static_cast<double>(adaptation.ease_stops);
  for (int i = 0; i < kSteps; ++i) {  // midpoint rule
    const auto velocity = [&](double at) {
      const double distance = to - at;
      const auto speed =
          static_cast<double>(distance > 0 ? adaptation.up_stops_per_second : adaptation.down_stops_per_second);
      if (ease == 0) return distance == 0 ? 0.0 : std::copysign(speed, distance);
      return speed * std::clamp(distance / ease, -1.0, 1.0);
    };
    const double before = to - from;
    from += h * velocity(from + h / 2 * velocity(from));
    if ((to - from) * before < 0) from = to;
  }
  return from;
}

void fill_scene(const MutableImageView& image, Random& random) {
  std::vector<float> rgba(size_t{4} * image.size.width);
  for (uint32_t s = 0; s < image.slices; ++s) {
    for (uint32_t y = 0; y < image.size.height; ++y) {
      for (float& value : rgba) value = std::exp2(random.between(-12.0F, 3.0F));
      encode_row(image.format, rgba.data(), image.size.width, image.row(y, s));
    }
  }
}

void spoil(const MutableImageView& image, Random& random, uint32_t count) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float kinds[][4] = {{kNan, 1, 1, 1},        {1, kNan, kInfinity, 1},
                            {1, 1, -kInfinity, 1},  {kInfinity, 1, 1, 1},
                            {-2, -1, -0.5F, 1},     {0, 0, 0, 1},
                            {1, 1, 1, kNan},        {-0.0F, 0, 0, kInfinity},
                            {65504, 60000, 100, 1}, {kInfinity, -kInfinity, 1, 1}};
  const uint32_t bytes = format_info(image.format).bytes_per_texel;
  for (uint32_t i = 0; i < count; ++i) {
    std::byte* row = image.row(random.below(image.size.height), random.below(image.slices));
    encode_row(image.format, kinds[random.below(std::size(kinds))], 1,
               row + size_t{random.below(image.size.width)} * bytes);
  }
}

std::string describe(const MeterOptions& options) {
  return std::to_string(options.size.width) + "x" + std::to_string(options.size.height) + "x" +
         std::to_string(options.slices) + " " + std::string(format_info(options.source).name) + " metering " +
         std::to_string(static_cast<int>(options.metering)) + " weights " +
         std::to_string(static_cast<int>(options.weights)) + " range " + std::to_string(options.histogram_low) + " " +
         std::to_string(options.histogram_high);
}

}  // namespace onepass::testing
