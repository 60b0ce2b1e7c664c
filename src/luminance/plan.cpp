// plan.cpp: checks the options of a meter, counts the bytes it reads and writes, and computes the constants of both
// engines.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "luminance/settings.hpp"

namespace onepass {
namespace {

static_assert(std::tuple_size_v<decltype(MeterResult::histogram)> == ONEPASS_LUMINANCE_BINS);

constexpr uint32_t kMaxExtent = 65535;
constexpr float kLeastLog2 = -126.0F;  // of the least luminance in log-averages
constexpr float kMostLog2 = 128.0F;

/// Whether `value` is in [low, high]; NaN is not.
bool within(float value, float low, float high) { return value >= low && value <= high; }

std::string range_text(const char* field, float value, const char* range) {
  return std::string(field) + ": " + number_text(value) + " is not " + range;
}

Result<void> check_images(const MeterOptions& options) {
  const auto [width, height] = options.size;
  if (width == 0 || height == 0 || width > kMaxExtent || height > kMaxExtent) {
    return invalid("size: " + std::to_string(width) + "x" + std::to_string(height) +
                   " is not within 1x1 and 65535x65535");
  }
  if (options.slices == 0) return invalid("slices: 0, at least one is needed");
  // With 16 bytes per texel, the sum of all bytes read and written then fits 64 bits.
  constexpr uint64_t kMostTexels = uint64_t{1} << 52;
  if (uint64_t{width} * height > kMostTexels / options.slices) {
    return invalid("slices: " + std::to_string(options.slices) + " of " + std::to_string(width) + "x" +
                   std::to_string(height) + " are too many");
  }
  const auto check_format = [](const char* field, Format format) -> Result<void> {
    if (format_info(format).channels != 0) return {};
    return invalid(std::string(field) + ": format " + std::to_string(static_cast<uint32_t>(format)) +
                   " is not supported");
  };
  if (auto checked = check_format("source", options.source); !checked) return checked;
  if (options.metering == Metering::kMask) {
    if (auto checked = check_format("mask", options.mask); !checked) return checked;
  } else if (options.mask != Format::kUndefined) {
    return invalid("mask: " + std::string(format_info(options.mask).name) + ", but metering is not by mask");
  }
  const Rect& rect = options.rect;
  if (rect == Rect{}) return {};
  if (rect.width == 0 || rect.height == 0 || uint64_t{rect.x} + rect.width > width ||
      uint64_t{rect.y} + rect.height > height) {
    return invalid("rect: " + size_text({rect.width, rect.height}) + " at " + std::to_string(rect.x) + ", " +
                   std::to_string(rect.y) + " is not within " + size_text({width, height}));
  }
  return {};
}

Result<void> check_enums(const MeterOptions& options) {
  return check_enumerators("weights", options.weights, "metering", options.metering, "statistic", options.statistic,
                           "rule", options.rule);
}

struct Range {
  const char* field;
  float value, low, high;
  const char* text;
};

Result<void> check_numbers(const MeterOptions& options) {
  constexpr float kTiny = 1e-6F;
  constexpr float kHuge = 1e6F;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Adaptation& adaptation = options.adaptation;
  const Range ranges[] = {
      {"delta", options.delta, 0.0F, 1.0F, "within 0 and 1"},
      {"centre_x", options.centre_x, 0.0F, 1.0F, "within 0 and 1"},
      {"centre_y", options.centre_y, 0.0F, 1.0F, "within 0 and 1"},
      {"radius", options.radius, 0.0F, 1000.0F, "within 0 and 1000"},
      {"histogram_low", options.histogram_low, kLeastLog2, kMostLog2, "within -126 and 128"},
      {"histogram_high", options.histogram_high, options.histogram_low, kMostLog2, "within histogram_low and 128"},
      {"clip_low", options.clip_low, 0.0F, 1.0F, "within 0 and 1"},
      {"clip_high", options.clip_high, options.clip_low + kTiny, 1.0F, "above clip_low, and at most 1"},
      {"lowest_ev100", options.lowest_ev100, -128.0F, 128.0F, "within -128 and 128"},
      {"highest_ev100", options.highest_ev100, options.lowest_ev100, 128.0F, "within lowest_ev100 and 128"},
      {"key", options.key, kTiny, kHuge, "within 1e-6 and 1e6"},
      {"calibration", options.calibration, kTiny, kHuge, "within 1e-6 and 1e6"},
      {"lens_attenuation", options.lens_attenuation, kTiny, kHuge, "within 1e-6 and 1e6"},
      {"compensation", options.compensation, -64.0F, 64.0F, "within -64 and 64"},
      {"adaptation.up_stops_per_second", adaptation.up_stops_per_second, kTiny, kInfinity, "at least 1e-6"},
      {"adaptation.down_stops_per_second", adaptation.down_stops_per_second, kTiny, kInfinity, "at least 1e-6"},
      {"adaptation.ease_stops", adaptation.ease_stops, 0.0F, 256.0F, "within 0 and 256"},
  };
  for (const Range& range : ranges) {
    if (!within(range.value, range.low, range.high)) return invalid(range_text(range.field, range.value, range.text));
  }
  for (const float percentile : options.percentiles) {
    if (!within(percentile, 0.0F, 1.0F)) return invalid(range_text("percentiles", percentile, "within 0 and 1"));
  }
  const float span = options.histogram_high - options.histogram_low;
  if (span != 0.0F && span < 1e-3F) return invalid(range_text("histogram_high", span, "1e-3 above histogram_low"));
  return {};
}

}  // namespace

Result<MeterPlan> plan_meter(const MeterOptions& options) {
  for (const auto& check : {check_enums, check_images, check_numbers}) {
    if (auto checked = check(options); !checked) return checked.error();
  }
  MeterPlan plan;
  plan.rect = options.rect == Rect{} ? Rect{0, 0, options.size.width, options.size.height} : options.rect;
  uint64_t texel_bytes = format_info(options.source).bytes_per_texel;
  if (options.metering == Metering::kMask) texel_bytes += format_info(options.mask).bytes_per_texel;
  plan.bytes_read = uint64_t{plan.rect.width} * plan.rect.height * options.slices * texel_bytes;
  plan.bytes_written = uint64_t{options.slices} * sizeof(MeterResult);
  return plan;
}

namespace luminance {
namespace {

// The 32-bit words of a workgroup's histogram hold at most 8192 tiles of 2048 pixels of weight 255.
constexpr uint32_t kMostTilesOfGroup = 8192;
constexpr uint32_t kMostGroups = 65535;  // every device allows as many; the digits of sums are sized for it

uint32_t count_tiles(Rect rect) {
  return div_up(rect.width, ONEPASS_LUMINANCE_TILE_WIDTH) * div_up(rect.height, ONEPASS_LUMINANCE_TILE_HEIGHT);
}

void set_weights(const MeterOptions& options, LuminanceParams& params) {
  static constexpr float kWeights[3][3] = {
      {0.2126F, 0.7152F, 0.0722F}, {0.2627F, 0.6780F, 0.0593F}, {0.2722287F, 0.6740818F, 0.0536895F}};
  static constexpr float kGrey[3] = {1.0F, 0.0F, 0.0F};
  const float* weights = is_grey(options.source) ? kGrey : kWeights[static_cast<size_t>(options.weights)];
  params.red = weights[0];
  params.green = weights[1];
  params.blue = weights[2];
}

void set_places(const MeterOptions& options, Rect rect, LuminanceParams& params) {
  const auto width = static_cast<float>(rect.width);
  const auto height = static_cast<float>(rect.height);
  params.centre_x = options.centre_x * width - 0.5F;
  params.centre_y = options.centre_y * height - 0.5F;
  const bool spot = options.metering == Metering::kSpot;
  const float radius = options.radius > 0.0F ? options.radius : spot ? 0.1F : 1.41421356F;
  params.inverse_radius_x = 2.0F / (radius * (spot ? std::min(width, height) : width));
  params.inverse_radius_y = 2.0F / (radius * (spot ? std::min(width, height) : height));
}

void set_exposure(const MeterOptions& options, LuminanceParams& params) {
  const double ev = std::log2(100.0 / static_cast<double>(options.calibration));
  params.ev_offset = static_cast<float>(ev);
  const double offset = options.rule == ExposureRule::kKey
                            ? std::log2(static_cast<double>(options.key))
                            : std::log2(100.0 * static_cast<double>(options.lens_attenuation) / 78.0) - ev;
  params.exposure_offset = static_cast<float>(offset + static_cast<double>(options.compensation));
  params.log2_low = static_cast<float>(static_cast<double>(options.lowest_ev100) - ev);
  params.log2_high = static_cast<float>(static_cast<double>(options.highest_ev100) - ev);
}

}  // namespace

uint32_t most_groups(Rect rect) { return std::min(count_tiles(rect), kMostGroups); }

uint32_t count_groups(Rect rect, uint32_t wanted) {
  return std::clamp(wanted, div_up(count_tiles(rect), kMostTilesOfGroup), most_groups(rect));
}

Result<uint64_t> scratch_bytes(const MeterOptions& options) {
  const uint64_t words = ONEPASS_LUMINANCE_BINS_AT + 2 * counted_bins(options);
  if (words * options.slices > UINT32_MAX) return unsupported("slices: too many to index their scratch memory");
  return 4 * words * options.slices;
}

LuminanceParams make_params(const MeterOptions& options, Rect rect) {
  constexpr float kFastest = 1e30F;  // not infinity: infinity times 0 seconds is NaN
  LuminanceParams params{};
  params.origin = rect.x | rect.y << 16;
  params.size = rect.width | rect.height << 16;
  params.tiles_x = div_up(rect.width, ONEPASS_LUMINANCE_TILE_WIDTH);
  set_weights(options, params);
  set_places(options, rect, params);
  set_exposure(options, params);
  params.delta = options.delta;
  const float span = options.histogram_high - options.histogram_low;
  params.bin_low = span == 0.0F ? float{ONEPASS_LUMINANCE_FINE_LOW} : options.histogram_low;
  params.bin_scale = span == 0.0F ? float{ONEPASS_LUMINANCE_FINE_PER_STOP} : ONEPASS_LUMINANCE_BINS / span;
  params.up = std::min(options.adaptation.up_stops_per_second, kFastest);
  params.down = std::min(options.adaptation.down_stops_per_second, kFastest);
  params.ease = options.adaptation.ease_stops;
  params.clip_low = options.clip_low;
  params.clip_high = options.clip_high;
  std::copy(options.percentiles.begin(), options.percentiles.end(), params.percentiles);
  return params;
}

Result<float> seconds_of(const MeterFrame& frame) {
  if (frame.cut) return -1.0F;
  if (within(frame.seconds, 0.0F, 1e9F)) return frame.seconds;
  return invalid(range_text("seconds", frame.seconds, "within 0 and 1e9"));
}

}  // namespace luminance
}  // namespace onepass
