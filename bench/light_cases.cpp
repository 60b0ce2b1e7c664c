// light_cases.cpp: the tables of cases, the images that they measure (noise, one constant colour, or a dark interior
// with a bright window), and the comparison of two meters' results, which allows texels at the edge between two bins.
#include "light_cases.hpp"

#include <cmath>

#include "levels.hpp"

namespace onepass::bench {
namespace {

constexpr Format kHalf = Format::kRGBA16Sfloat;
constexpr Format kFloat = Format::kRGBA32Sfloat;
constexpr Extent kTiny{64, 64}, kHD{1920, 1080}, kUHD{3840, 2160}, kSquare{4096, 4096};

/// The operator's name in rows of benchmarks, which is short for two of them.
std::string_view operator_word(ToneOperator tone_operator) {
  if (tone_operator == ToneOperator::kAgxBlender) return "agx";
  if (tone_operator == ToneOperator::kHejlBurgessDawson) return "hejl";
  return word_of(tone_operator);
}

std::string_view content_word(LightContent content) {
  constexpr std::string_view kWords[] = {"natural", "constant", "random"};
  return kWords[static_cast<size_t>(content)];
}

std::string_view work_word(LightWork work) {
  constexpr std::string_view kWords[] = {"meter",          "tone_map",  "local_exposure", "meter+tone_map",
                                         "frame_tone_map", "read_only", "device_copy"};
  return kWords[static_cast<size_t>(work)];
}

/// log2 of luminance at a position in [0, 1]^2: a dark interior with a bright window, a lamp and a gradient.
double natural_stops(double x, double y) {
  const double window = x > 0.55 && x < 0.9 && y > 0.15 && y < 0.6 ? 5.0 : 0.0;
  const double bars = std::fmod(x * 23, 1.0) < 0.08 || std::fmod(y * 17, 1.0) < 0.08 ? 0.4 : 1.0;
  const double lamp = 9 * std::exp(-900 * ((x - 0.2) * (x - 0.2) + (y - 0.25) * (y - 0.25)));
  const double ground = 1.5 * std::sin(7 * x + 3 * y) + 0.8 * std::sin(31 * x) * std::cos(23 * y) - 3 * y;
  return -2 + ground + window * bars + lamp;
}

/// Adds a case in throughput mode and, with `all`, in the other modes unless it is a baseline.
void add(std::vector<LightVulkanBenchmark>& out, const LightCase& light, bool all) {
  out.push_back({light, Mode::kThroughput});
  if (all && !light.baseline()) {
    out.push_back({light, Mode::kIsolated});
    out.push_back({light, Mode::kWarm});
  }
}

}  // namespace

ToneMapOptions LightCase::tone() const {
  ToneMapOptions options{.size = size, .source = source, .target = target, .tone_operator = tone_operator};
  if (work == LightWork::kLocalExposure) options.local = {.highlights = 0.6F, .shadows = 0.7F};
  return options;
}

uint64_t LightCase::bytes() const {
  const uint64_t texels = uint64_t{size.width} * size.height;
  const uint64_t read = texels * format_info(source).bytes_per_texel;
  const uint64_t written = texels * format_info(target).bytes_per_texel;
  switch (work) {
    case LightWork::kMeter:
    case LightWork::kReadOnly:
      return read;
    case LightWork::kLocalExposure:
    case LightWork::kMeterAndMap:
      return 2 * read + written;
    default:
      return read + written;
  }
}

std::string LightCase::words() const {
  const bool one = work == LightWork::kMeter || work == LightWork::kReadOnly;
  std::string text(format_word(source));
  if (!one) text += "_" + std::string(format_word(target));
  text += "/" + std::to_string(size.width) + "x" + std::to_string(size.height);
  if (maps()) text += "/" + std::string(operator_word(tone_operator));
  return text;
}

std::string LightCase::name(std::string_view engine) const {
  const std::string e(engine);
  const std::string work_name(work_word(work));
  if (work == LightWork::kMeter) return work_name + "/" + e + "/" + words() + "/" + std::string(content_word(content));
  if (!baseline()) return work_name + "/" + e + "/" + words();
  // Tile reductions may have a read_only of this format and size with other images: the content makes the names differ.
  const std::string what = work == LightWork::kReadOnly ? std::string(content_word(content)) + "/" : std::string();
  return "baseline/" + e + "/" + words() + "/" + what + (e == "cpu" && !what.empty() ? "read_only" : work_name);
}

std::string_view LightCase::ratio_word() const {
  if (work == LightWork::kMeter || work == LightWork::kReadOnly) return "x_read";
  return work == LightWork::kFrame ? "x_apart" : "x_copy";
}

std::vector<LightVulkanBenchmark> light_vulkan_benchmarks(bool all) {
  std::vector<LightVulkanBenchmark> out;
  const auto meter = [&](Format source, Extent size, LightContent content) {
    LightCase light{.work = LightWork::kReadOnly, .source = source, .size = size, .content = content};
    add(out, light, all);
    light.work = LightWork::kMeter;
    add(out, light, all);
  };
  const auto maps = [&](Extent size, bool all_operators) {
    LightCase light{.work = LightWork::kCopy, .source = kHalf, .size = size};
    add(out, light, all);
    for (size_t i = 0; i < onepass::words<ToneOperator>().size(); ++i) {
      light.tone_operator = static_cast<ToneOperator>(i);
      const bool agx = light.tone_operator == ToneOperator::kAgxBlender;
      const bool main = agx || light.tone_operator == ToneOperator::kAcesNarkowicz;
      if (!main && !all_operators) continue;
      for (const LightWork work :
           {LightWork::kToneMap, LightWork::kMeterAndMap, LightWork::kFrame, LightWork::kLocalExposure}) {
        const bool agx_only = work == LightWork::kLocalExposure;
        if (work != LightWork::kToneMap && (!main || (agx_only && !agx))) continue;
        light.work = work;
        add(out, light, all);
      }
    }
  };
  for (const Extent size : {kTiny, kHD, kUHD, kSquare}) {
    meter(kHalf, size, LightContent::kNatural);
    maps(size, size.width == kUHD.width);
  }
  for (const LightContent content : {LightContent::kConstant, LightContent::kRandom}) meter(kHalf, kUHD, content);
  for (const LightContent content : {LightContent::kNatural, LightContent::kConstant}) meter(kFloat, kSquare, content);
  return out;
}

std::vector<LightCase> light_cpu_cases() {
  std::vector<LightCase> out;
  for (const LightContent content : {LightContent::kNatural, LightContent::kConstant, LightContent::kRandom}) {
    out.push_back({.work = LightWork::kMeter, .source = kHalf, .size = kUHD, .content = content});
  }
  out.push_back({.work = LightWork::kMeter, .source = kFloat, .size = kUHD});
  for (const ToneOperator tone_operator : {ToneOperator::kAcesNarkowicz, ToneOperator::kAgxBlender}) {
    for (const LightWork work : {LightWork::kToneMap, LightWork::kFrame, LightWork::kLocalExposure}) {
      out.push_back({.work = work, .source = kHalf, .size = kUHD, .tone_operator = tone_operator});
    }
  }
  for (const LightWork work : {LightWork::kMeter, LightWork::kToneMap, LightWork::kFrame, LightWork::kLocalExposure}) {
    out.push_back({.work = work, .source = kHalf, .size = kTiny});
  }
  return out;
}

Result<Image> light_image(const LightCase& light) {
  if (light.content == LightContent::kRandom) return random_image(light.source, light.size, 1);
  auto image = Image::create(light.source, light.size);
  if (!image) return image.error();
  const auto [width, height] = light.size;
  std::vector<float> row(size_t{4} * width);
  uint64_t state = run_seed() | 1;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const double noise = static_cast<double>(state >> 40) * 0x1p-24 - 0.5;
      const bool natural = light.content == LightContent::kNatural;
      const double stops = natural ? natural_stops((x + 0.5) / width, (y + 0.5) / height) + 0.2 * noise : -2.4739;
      const auto value = static_cast<float>(std::exp2(stops));
      float* texel = row.data() + size_t{4} * x;
      texel[0] = value;
      texel[1] = natural ? 0.9F * value : value;
      texel[2] = natural ? 0.7F * value : value;
      texel[3] = 1;
    }
    encode_row(light.source, row.data(), width, image->view().row(y));
  }
  return image;
}

std::string meter_difference(const MeterResult& actual, const MeterResult& expected) {
  const auto off = [](float a, float b) { return !(std::fabs(a - b) <= 2e-6F * std::fabs(b) + 1e-30F); };
  const auto say = [](const char* what, float a, float b) {
    return std::string(what) + " " + std::to_string(a) + ", expected " + std::to_string(b);
  };
  if (actual.valid != expected.valid || actual.finite_count != expected.finite_count ||
      actual.total_weight != expected.total_weight) {
    return "counts differ";
  }
  if (off(actual.log_average, expected.log_average))
    return say("log-average", actual.log_average, expected.log_average);
  if (off(actual.mean_luminance, expected.mean_luminance)) {
    return say("mean", actual.mean_luminance, expected.mean_luminance);
  }
  if (off(actual.exposure, expected.exposure)) return say("exposure", actual.exposure, expected.exposure);
  if (off(actual.min_luminance, expected.min_luminance) || off(actual.max_luminance, expected.max_luminance)) {
    return "extremes differ";
  }
  // A texel at the edge between two bins may be counted in either.
  uint64_t moved = 0;
  for (size_t i = 0; i < expected.histogram.size(); ++i) {
    const uint64_t a = actual.histogram[i], b = expected.histogram[i];
    moved += a > b ? a - b : b - a;
  }
  if (moved > 2 + expected.total_weight / 10000) return "histograms differ by " + std::to_string(moved);
  return {};
}

}  // namespace onepass::bench
