// cpu_luminance_test.cpp: the plan and the CPU version of meters: every format, metering mode, range and awkward size
// against the oracle in double, published values, NaN and Inf, counter overflow, adaptation, errors.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "image/log2.hpp"
#include "luminance/bins.hpp"
#include "tbb/global_control.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/luminance/luminance_oracle.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<MeterResult> measure(const MeterOptions& options, const ImageView& source, const ImageView& mask = {},
                                 uint32_t threads = 2) {
  std::vector<MeterResult> results(options.slices);
  auto meter = cpu::Meter::create(options, {.threads = threads});
  EXPECT_TRUE(meter.ok()) << describe(options) << (meter ? "" : meter.error().text());
  auto done = meter->measure(source, results, {}, mask);
  EXPECT_TRUE(done.ok()) << describe(options) << (done ? "" : done.error().text());
  return results;
}

::testing::AssertionResult all_match(const MeterOptions& options, const ImageView& source, const ImageView& mask = {}) {
  const auto results = measure(options, source, mask);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    auto checked = result_matches(options, oracle_meter(options, source, slice, mask), results[slice]);
    if (!checked) return checked << "; slice " << slice << " of " << describe(options);
  }
  return ::testing::AssertionSuccess();
}

/// Measures one row of grey pixels.
MeterResult measure_row(const std::vector<float>& row, MeterOptions options = {}, MeterResult before = {},
                        const MeterFrame& frame = {}) {
  options.size = {static_cast<uint32_t>(row.size()), 1};
  options.source = Format::kR32Sfloat;
  auto meter = cpu::Meter::create(options);
  EXPECT_TRUE(meter.ok()) << (meter ? "" : meter.error().text());
  const ImageView view{row.data(), Format::kR32Sfloat, options.size, 1, row.size() * sizeof(float), 0};
  auto done = meter->measure(view, {&before, 1}, frame);
  EXPECT_TRUE(done.ok()) << (done ? "" : done.error().text());
  return before;
}

TEST(LuminancePlan, CountsBytes) {
  auto plan = plan_meter({.size = {3840, 2160}, .slices = 2, .source = Format::kRGBA16Sfloat});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->rect, (Rect{0, 0, 3840, 2160}));
  EXPECT_EQ(plan->bytes_read, uint64_t{3840} * 2160 * 8 * 2);
  EXPECT_EQ(plan->bytes_written, uint64_t{2} * (144 + 8 * 256));
  plan = plan_meter({.size = {100, 50},
                     .source = Format::kR8Unorm,
                     .rect = {10, 20, 30, 30},
                     .metering = Metering::kMask,
                     .mask = Format::kR16Unorm});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytes_read, uint64_t{30} * 30 * 3);
}

TEST(LuminancePlan, SaysWhatIsWrong) {
  const MeterOptions good{.size = {16, 16}, .source = Format::kR32Sfloat};
  ASSERT_TRUE(plan_meter(good));
  const auto expect = [&](auto change, const char* field) {
    MeterOptions options = good;
    change(options);
    auto plan = plan_meter(options);
    ASSERT_FALSE(plan) << field;
    EXPECT_NE(plan.error().message.find(field), std::string::npos) << plan.error().message;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument) << field;
  };
  expect([](MeterOptions& o) { o.size = {0, 4}; }, "size");
  expect([](MeterOptions& o) { o.size = {65536, 4}; }, "size");
  expect([](MeterOptions& o) { o.slices = 0; }, "slices");
  expect([](MeterOptions& o) { o.source = Format::kUndefined; }, "source");
  expect([](MeterOptions& o) { o.rect = {8, 0, 9, 1}; }, "rect");
  expect([](MeterOptions& o) { o.rect = {0, 0, 0, 1}; }, "rect");
  expect([](MeterOptions& o) { o.rect = {0, 0xFFFFFFFF, 1, 2}; }, "rect");
  expect([](MeterOptions& o) { o.weights = static_cast<LuminanceWeights>(3); }, "weights");
  expect([](MeterOptions& o) { o.metering = static_cast<Metering>(9); }, "metering");
  expect([](MeterOptions& o) { o.statistic = static_cast<MeterStatistic>(3); }, "statistic");
  expect([](MeterOptions& o) { o.rule = static_cast<ExposureRule>(2); }, "rule");
  expect([](MeterOptions& o) { o.metering = Metering::kMask; }, "mask");
  expect([](MeterOptions& o) { o.mask = Format::kR8Unorm; }, "mask");
  expect([](MeterOptions& o) { o.delta = -1; }, "delta");
  expect([](MeterOptions& o) { o.delta = kNan; }, "delta");
  expect([](MeterOptions& o) { o.centre_x = 1.5F; }, "centre_x");
  expect([](MeterOptions& o) { o.radius = -1; }, "radius");
  expect([](MeterOptions& o) { o.histogram_high = -1; }, "histogram_high");
  expect([](MeterOptions& o) { o.histogram_high = 1e-4F; }, "histogram_high");
  expect([](MeterOptions& o) { o.histogram_low = -200; }, "histogram_low");
  expect([](MeterOptions& o) { o.percentiles[3] = 2; }, "percentiles");
  expect([](MeterOptions& o) { o.clip_low = 0.9F; }, "clip_high");
  expect([](MeterOptions& o) { o.lowest_ev100 = 40; }, "highest_ev100");
  expect([](MeterOptions& o) { o.key = 0; }, "key");
  expect([](MeterOptions& o) { o.calibration = kNan; }, "calibration");
  expect([](MeterOptions& o) { o.lens_attenuation = -1; }, "lens_attenuation");
  expect([](MeterOptions& o) { o.compensation = 100; }, "compensation");
  expect([](MeterOptions& o) { o.adaptation.up_stops_per_second = 0; }, "up_stops");
  expect([](MeterOptions& o) { o.adaptation.down_stops_per_second = kNan; }, "down_stops");
  expect([](MeterOptions& o) { o.adaptation.ease_stops = -1; }, "ease_stops");
}

TEST(LuminanceLog2, IsOffByLessThanItSays) {
  const uint32_t step = full_run() ? 1 : 97;
  double worst = 0;
  for (uint32_t bits = 0x00800000; bits < 0x7F800000; bits += step) {
    const auto x = std::bit_cast<float>(bits);
    const Log2Parts parts = log2_parts(x);
    worst = std::max(worst, std::abs(parts.whole + static_cast<double>(parts.fraction) - std::log2(double{x})));
  }
  EXPECT_LE(worst, 1.3e-7);
  for (int e = -126; e < 128; ++e) EXPECT_EQ(log2_of(std::ldexp(1.0F, e)), static_cast<float>(e));
  worst = 0;
  for (float x = -126.0F; x < 127.9F; x += 0x1p-9F) {
    worst = std::max(worst, std::abs(double{exp2_of(x)} / std::exp2(double{x}) - 1));
  }
  EXPECT_LE(worst, 1.3e-7);
  EXPECT_EQ(exp2_of(-1e30F), 0.0F);
  EXPECT_EQ(exp2_of(1e30F), kInfinity);
}

// The bin guessed by the SIMD code is the exact one or the one before it, for every mantissa.
TEST(LuminanceBins, GuessesAreOffByOneAtMost) {
  for (uint32_t bits = 0; bits < 1U << 23; ++bits) {
    const float m = std::bit_cast<float>(bits | 0x3F800000U);
    const auto exact = static_cast<int>(32 * std::log2(double{m}));
    ASSERT_EQ(luminance::automatic_bin(m), static_cast<uint32_t>(1024 + exact)) << m;
    const float product = luminance::kGuess[2] * m;
    const float slope = (product + luminance::kGuess[1]) * m;
    const auto guess = static_cast<int>(slope + luminance::kGuess[0]);
    ASSERT_TRUE(guess >= 0 && guess < 32 && (guess == exact || guess == exact - 1)) << m << " " << guess;
  }
}

// First, last and a middle float of each bin; with NaN as well, which switches the engine to the per-pixel path.
TEST(CpuLuminance, AutomaticBinsAreExactOnEveryTarget) {
  const auto first_of = [](int bin) {
    const double edge = std::exp2(bin / 32.0);
    const auto nearest = static_cast<float>(edge);
    return double{nearest} < edge ? std::nextafter(nearest, kInfinity) : nearest;
  };
  for (const bool spoiled : {false, true}) {
    for (int low = -1024; low < 1024; low += 256) {
      std::vector<float> row;
      for (int bin = low; bin < low + 256; ++bin) {
        const float begin = first_of(bin);
        const float last = std::nextafter(first_of(bin + 1), 0.0F);
        row.insert(row.end(), {begin, last, begin + (last - begin) / 2});
      }
      if (low == -1024) row.insert(row.end(), {0x1p-40F, 0x1p-140F});
      if (low == 768) row.insert(row.end(), {0x1p32F, std::numeric_limits<float>::max()});
      for (size_t i = 0; spoiled && i < row.size(); i += 100) row.insert(row.begin() + static_cast<ptrdiff_t>(i), kNan);
      for (const size_t target : machine_targets()) {
        const OnlyTarget only(target);
        const MeterResult result = measure_row(row);
        EXPECT_EQ(result.histogram_low, static_cast<float>(low) / 32);
        for (int i = 0; i < 256; ++i) {
          const uint64_t more = (low == -1024 && i == 0) || (low == 768 && i == 255) ? 2 : 0;
          ASSERT_EQ(result.histogram[static_cast<size_t>(i)], 3 + more)
              << name_of_target(target) << " bin " << low + i << " spoiled " << spoiled;
        }
      }
    }
  }
}

TEST(CpuLuminance, EveryFormatIsRight) {
  Random random(1);
  for (const FormatInfo& info : all_formats()) {
    for (const Metering metering : {Metering::kAverage, Metering::kCentreWeighted}) {
      MeterOptions options{.size = {131, 37}, .slices = 2, .source = info.format, .metering = metering};
      PaddedImage source(info.format, options.size, options.slices, 12, 20);
      fill_scene(source.view(), random);
      EXPECT_TRUE(all_match(options, source.view()));
      if (info.type == ChannelType::kFloat) spoil(source.view(), random, 500);
      options.weights = static_cast<LuminanceWeights>(random.below(3));
      EXPECT_TRUE(all_match(options, source.view()));
      fill_random(source.view(), random);
      EXPECT_TRUE(all_match(options, source.view()));
    }
  }
}

TEST(CpuLuminance, EveryUnormCodeIsTheNearestFloat) {
  constexpr uint32_t kSlices = 256;
  for (const uint32_t most : {255U, 65535U}) {
    const Format format = most == 255 ? Format::kR8Unorm : Format::kR16Unorm;
    auto meter = cpu::Meter::create({.size = {1, 1}, .slices = kSlices, .source = format}, {.threads = 1});
    ASSERT_TRUE(meter.ok()) << meter.error().text();
    std::vector<MeterResult> results(kSlices);
    for (uint32_t first = 0; first < most; first += kSlices) {
      std::vector<uint8_t> bytes;
      for (uint32_t code = first; code < first + kSlices; ++code) {
        bytes.push_back(static_cast<uint8_t>(code));
        if (most > 255) bytes.push_back(static_cast<uint8_t>(code >> 8));
      }
      const size_t texel = bytes.size() / kSlices;
      ASSERT_TRUE(meter->measure({bytes.data(), format, {1, 1}, kSlices, texel, texel}, results).ok());
      for (uint32_t i = 0; i < kSlices; ++i) {
        ASSERT_EQ(results[i].max_luminance, static_cast<float>(first + i) / static_cast<float>(most)) << first + i;
      }
    }
  }
}

TEST(CpuLuminance, EveryAwkwardSizeIsRight) {
  Random random(2);
  std::vector<Extent> sizes = awkward_sizes();
  for (const Extent size : {Extent{1, 1}, {17, 17}, {1366, 768}, {1920, 1080}, {16385, 1}, {1, 16385}, {65535, 3}}) {
    sizes.push_back(size);
  }
  for (const Extent size : sizes) {
    if (!full_run() && size.width * size.height > 400000 && size.width != 1366) continue;
    for (const Format format : {Format::kR32Sfloat, Format::kRGBA16Sfloat}) {
      PaddedImage source(format, size);
      fill_scene(source.view(), random);
      EXPECT_TRUE(all_match({.size = size, .source = format}, source.view()));
    }
  }
}

TEST(CpuLuminance, EveryMeteringOfAnyRectangleIsRight) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < (full_run() ? 1000 : 60); ++i) {
    MeterOptions options{.size = {1 + random.below(300), 1 + random.below(40)},
                         .slices = 1 + random.below(3),
                         .source = random.below(2) == 0 ? Format::kRGBA32Sfloat : Format::kRG16Sfloat};
    options.rect = {random.below(options.size.width), random.below(options.size.height), 0, 0};
    options.rect.width = 1 + random.below(options.size.width - options.rect.x);
    options.rect.height = 1 + random.below(options.size.height - options.rect.y);
    options.metering = static_cast<Metering>(random.below(4));
    options.centre_x = random.between(0, 1);
    options.radius = random.below(2) == 0 ? 0 : random.between(0.05F, 2);
    if (random.below(2) == 0) {
      options.histogram_low = random.between(-14, 0);
      options.histogram_high = options.histogram_low + random.between(0.5F, 20);
    }
    PaddedImage source(options.source, options.size, options.slices, 16, 32);
    fill_scene(source.view(), random);
    spoil(source.view(), random, 10);
    PaddedImage mask(Format::kRGBA8Unorm, options.size, 1, 8, 0);
    fill_random(mask.view(), random);
    const bool masked = options.metering == Metering::kMask;
    if (masked) options.mask = Format::kRGBA8Unorm;
    ASSERT_TRUE(all_match(options, source.view(), masked ? ImageView(mask.view()) : ImageView{})) << "seed " << seed;
  }
}

TEST(CpuLuminance, ThreadsAndTargetsGiveTheSameBits) {
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
  Random random(3);
  for (const Format format : {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat, Format::kRGBA8Srgb, Format::kR8Srgb,
                              Format::kR16Unorm, Format::kRG8Unorm, Format::kRGBA8Unorm}) {
    for (const Metering metering : {Metering::kAverage, Metering::kCentreWeighted}) {
      MeterOptions options{.size = {1021, 333}, .source = format, .metering = metering};
      if (format == Format::kRGBA8Unorm || (format == Format::kRGBA32Sfloat && metering == Metering::kAverage)) {
        options.histogram_low = -9;
        options.histogram_high = 3;
      }
      PaddedImage source(format, options.size);
      fill_scene(source.view(), random);
      if (format_info(format).type == ChannelType::kFloat) spoil(source.view(), random, 1000);
      const auto expected = measure(options, source.view(), {}, 1);
      const auto same = [&](const char* what, int64_t which, uint32_t threads) {
        const auto actual = measure(options, source.view(), {}, threads);
        EXPECT_EQ(std::memcmp(expected.data(), actual.data(), sizeof(MeterResult)), 0)
            << what << " " << which << " " << describe(options);
      };
      for (const uint32_t threads : {2U, 3U, 8U}) same("threads", threads, threads);
      int targets = 0;
      for (const size_t target : machine_targets()) {
        const OnlyTarget only(target);
        same("target", target, 2);
        ++targets;
      }
      EXPECT_GE(targets, 1);
    }
  }
}

TEST(CpuLuminance, GivesPublishedValues) {
  const std::vector<float> row = {0.01F, 0.18F, 1.0F, 100.0F};
  MeterResult result = measure_row(row, {.delta = 0});
  EXPECT_NEAR(result.log_average, 0.651355562, 1e-6 * 0.65);
  EXPECT_NEAR(result.mean_luminance, 25.2975, 1e-6 * 25);
  EXPECT_EQ(result.min_luminance, 0.01F);
  EXPECT_EQ(result.max_luminance, 100.0F);
  result = measure_row(row, {.delta = 1e-4F});
  EXPECT_NEAR(result.log_average, 0.653085042, 1e-6 * 0.65);
  for (const auto& [luminance, ev] : {std::pair{0.125F, 0.0}, {0.18F, 0.526069}, {1.0F, 3.0}, {4000.0F, 14.965784}}) {
    EXPECT_NEAR(measure_row({luminance}, {.delta = 0}).ev100, ev, 2e-6);
  }
  EXPECT_NEAR(measure_row({1.0F}, {.delta = 0, .calibration = 14.0F}).ev100, 2.836501, 2e-6);
  for (const auto& [ev, exposure] :
       {std::pair{0, 0.833333333}, {3, 0.104166667}, {12, 2.03450521e-4}, {15, 2.54313151e-5}}) {
    const float luminance = std::ldexp(0.125F, ev);
    const MeterResult made = measure_row({luminance}, {.delta = 0, .rule = ExposureRule::kSaturation});
    EXPECT_NEAR(made.exposure / exposure, 1, 2e-6);
    EXPECT_NEAR(static_cast<double>(made.exposure) * static_cast<double>(luminance), 1 / 9.6, 1e-6);
  }
  EXPECT_NEAR(measure_row({0.5F}, {.delta = 0, .key = 0.18F}).exposure, 0.36, 1e-6);
  EXPECT_NEAR(measure_row({0.5F}, {.delta = 0, .key = 0.18F, .compensation = 1.0F}).exposure, 0.72, 2e-6);
  const float rgb[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1};
  for (const auto& [weights, expected] : {std::pair{LuminanceWeights::kRec709, std::array{0.2126F, 0.7152F, 0.0722F}},
                                          {LuminanceWeights::kRec2020, {0.2627F, 0.6780F, 0.0593F}},
                                          {LuminanceWeights::kAcesCg, {0.2722287F, 0.6740818F, 0.0536895F}}}) {
    for (uint32_t c = 0; c < 3; ++c) {
      const MeterOptions options{.size = {1, 1}, .source = Format::kRGBA32Sfloat, .weights = weights};
      const auto made = measure(options, {rgb + 4 * c, Format::kRGBA32Sfloat, {1, 1}, 1, 16, 0});
      EXPECT_EQ(made[0].mean_luminance, expected[c]);
    }
  }
}

TEST(CpuLuminance, PercentilesAreInterpolated) {
  // 256 bins over two stops, 2^-1 to 2^1, with one pixel in each.
  std::vector<float> row;
  for (int i = 0; i < 256; ++i) row.push_back(std::exp2(-1 + (static_cast<float>(i) + 0.5F) / 128));
  const MeterOptions options{
      .histogram_low = -1, .histogram_high = 1, .percentiles = {0, 0.25F, 0.5F, 0.75F, 1, 0.501953125F, 0.1F, 0.9F}};
  MeterResult result = measure_row(row, options);
  EXPECT_EQ(result.percentiles[0], row.front());
  EXPECT_EQ(result.percentiles[4], row.back());
  EXPECT_NEAR(result.percentiles[1], std::exp2(-0.5), 1e-6);
  EXPECT_NEAR(result.percentiles[2], 1.0, 1e-6);
  EXPECT_NEAR(result.percentiles[3], std::exp2(0.5), 2e-6);
  EXPECT_NEAR(result.percentiles[5], std::exp2(0.5 / 128), 1e-6);  // centre of bin 128
  for (const uint64_t weight : result.histogram) EXPECT_EQ(weight, 1U);
  // Black pixels count in the ranking: with 40 % black, the median is at 1/6 of the other pixels.
  row.insert(row.end(), 171, 0.0F);
  result = measure_row(row, options);
  EXPECT_EQ(result.zero_count, 171U);
  EXPECT_EQ(result.zero_weight, 171U);
  EXPECT_EQ(result.percentiles[1], 0.0F);
  EXPECT_NEAR(result.percentiles[2], std::exp2(-1 + (427 * 0.5 - 171) / 128), 2e-6);
  // With a single pixel, every percentile is its luminance.
  for (const float percentile : measure_row({0.3F}).percentiles) EXPECT_NEAR(percentile, 0.3F, 1e-7F);
}

TEST(CpuLuminance, ClippedLogAverageIgnoresTails) {
  // 10 % at 2^-10, 80 % at 2^0 (the lower edge of a bin), 10 % at 2^10.
  std::vector<float> row(100, 1.0F);
  std::fill_n(row.begin(), 10, 0x1p-10F);
  std::fill_n(row.begin() + 90, 10, 0x1p10F);
  MeterOptions options{.statistic = MeterStatistic::kPercentiles};
  EXPECT_NEAR(std::log2(measure_row(row, options).metered_luminance), 1.0 / 64, 1e-5);  // the bin's centre
  options.clip_low = 0.05F;                                                             // with half of the dark pixels
  EXPECT_NEAR(std::log2(measure_row(row, options).metered_luminance), 1.0 / 64 - 10 * 0.05 / 0.85, 1e-4);
  options = {.statistic = MeterStatistic::kMean};
  EXPECT_NEAR(measure_row(row, options).metered_luminance, 103.2, 1e-3);
}

TEST(CpuLuminance, HotPixelsMoveTheMeanAndNotTheLogAverage) {
  std::vector<float> row(10000, 0.18F);
  row[5000] = 65504.0F;
  const MeterResult result = measure_row(row);
  EXPECT_GT(result.mean_luminance, 6.0F);
  EXPECT_NEAR(result.log_average, 0.18, 0.0004);
}

TEST(CpuLuminance, NothingToMeterKeepsExposure) {
  const MeterFrame next{.seconds = 0.1F, .cut = false};
  const MeterResult before = measure_row({0.5F});
  ASSERT_EQ(before.valid, 1U);
  for (const auto& row : {std::vector<float>{kNan, kNan}, {kInfinity}, {-kInfinity, kNan, kInfinity}}) {
    const MeterResult after = measure_row(row, {}, before, next);
    EXPECT_EQ(after.valid, 0U);
    EXPECT_EQ(after.nan_count + after.infinite_count, row.size());
    EXPECT_EQ(after.exposure, before.exposure);
    EXPECT_EQ(after.ev100, before.ev100);
    EXPECT_EQ(after.adapted_luminance, before.adapted_luminance);
    EXPECT_EQ(after.log_average, 0.0F);
    // The next valid image adapts from the kept state: NaN does not persist.
    const MeterResult recovered = measure_row({0.5F}, {}, after, next);
    EXPECT_NEAR(recovered.exposure, before.exposure, 1e-6);
    // After a cut without valid pixels, the next valid image is adapted to at once.
    MeterResult cut = measure_row(row, {}, before, {.cut = true});
    EXPECT_EQ(cut.exposure, before.exposure);
    cut = measure_row({8.0F}, {.delta = 0}, cut, next);
    EXPECT_NEAR(cut.adapted_luminance, 8.0F, 1e-5);
  }
  const MeterResult first = measure_row({kNan});
  EXPECT_EQ(first.valid, 0U);
  EXPECT_EQ(first.exposure, 1.0F);
  // A mask of zeros leaves no pixel to measure.
  const float texels[2] = {1.0F, 2.0F};
  const uint8_t none[2] = {0, 0};
  const MeterOptions masked{
      .size = {2, 1}, .source = Format::kR32Sfloat, .metering = Metering::kMask, .mask = Format::kR8Unorm};
  const auto result =
      measure(masked, {texels, Format::kR32Sfloat, {2, 1}, 1, 8, 0}, {none, Format::kR8Unorm, {2, 1}, 1, 2, 0});
  EXPECT_EQ(result[0].valid, 0U);
  EXPECT_EQ(result[0].finite_count, 0U);
}

TEST(CpuLuminance, BlackIsMetered) {
  const MeterResult black = measure_row({0.0F, -0.0F, -3.0F});
  EXPECT_EQ(black.valid, 1U);
  EXPECT_EQ(black.zero_count, 2U);
  EXPECT_EQ(black.negative_count, 1U);
  EXPECT_NEAR(black.log_average, 1e-4, 1e-10);
  EXPECT_EQ(black.mean_colour[1], -1.0F);
  EXPECT_EQ(black.mean_luminance, 0.0F);
  EXPECT_TRUE(std::isfinite(black.exposure));
  // Exposure stays finite with delta 0 and for every statistic.
  for (const MeterStatistic statistic :
       {MeterStatistic::kLogAverage, MeterStatistic::kMean, MeterStatistic::kPercentiles}) {
    const MeterResult limited = measure_row({0.0F}, {.delta = 0, .statistic = statistic, .lowest_ev100 = -4.0F});
    EXPECT_NEAR(limited.metered_luminance, 0.125 / 16, 1e-8);
    const MeterOptions fast{.delta = 0,
                            .statistic = statistic,
                            .lowest_ev100 = -4.0F,
                            .adaptation = {.up_stops_per_second = kInfinity, .down_stops_per_second = kInfinity}};
    const MeterResult faded = measure_row({0.0F}, fast, measure_row({1.0F}, fast), {.seconds = 1, .cut = false});
    EXPECT_NEAR(faded.ev100, -4.0, 1e-5);
    EXPECT_NEAR(faded.exposure, 0.18 / (0.125 / 16), 1e-3);
  }
  const MeterResult bright = measure_row({1e30F}, {.highest_ev100 = 16.0F});
  EXPECT_NEAR(bright.ev100, 16.0, 1e-5);
}

TEST(CpuLuminance, ConstantImagesAreExactForEveryStatistic) {
  for (const MeterStatistic statistic :
       {MeterStatistic::kLogAverage, MeterStatistic::kMean, MeterStatistic::kPercentiles}) {
    for (const float low : {0.0F, -8.0F}) {
      for (const float value : {1.0F, 0.18F, 3.7F, 0.011F, 250.0F}) {
        const MeterOptions options{
            .delta = 0, .histogram_low = low, .histogram_high = low == 0 ? 0.0F : 4.0F, .statistic = statistic};
        EXPECT_NEAR(measure_row({value, value, value}, options).metered_luminance / value, 1, 1e-6) << value;
      }
    }
  }
}

// Zero, denormals and everything else up to delta count alike, with an automatic and with a given range.
TEST(CpuLuminance, AllDarkPixelsCountAlike) {
  for (const float delta : {1e-4F, 0.0F}) {
    for (const float low : {0.0F, -8.0F}) {
      const MeterOptions options{.delta = delta,
                                 .histogram_low = low,
                                 .histogram_high = low == 0 ? 0.0F : 4.0F,
                                 .statistic = MeterStatistic::kPercentiles};
      const float zero = measure_row({0.0F, 0.5F}, options).metered_luminance;
      for (const float dark : {-1.0F, 1e-42F, 0x1p-126F, 1e-12F}) {
        EXPECT_NEAR(measure_row({dark, 0.5F}, options).metered_luminance / zero, 1, 1e-6) << dark << " delta " << delta;
      }
    }
  }
  const MeterOptions usual{.statistic = MeterStatistic::kPercentiles};
  const float half = measure_row({0.0F, 1.0F}, usual).metered_luminance;
  EXPECT_NEAR(std::log2(half), std::log2(1e-4) / 2, 1e-4);
  EXPECT_NEAR(measure_row({6e-8F, 1.0F}, usual).metered_luminance / half, 1, 1e-6);
}

// The percentile mean is within half a bin of the definition if luminances are inside the histogram's range; those
// outside a given range count with the middle of its first or last bin.
TEST(CpuLuminance, PercentileMeanIsClampedToAGivenRange) {
  const MeterOptions options{.delta = 0,
                             .histogram_low = -4,
                             .histogram_high = 4,
                             .statistic = MeterStatistic::kPercentiles,
                             .clip_low = 0,
                             .clip_high = 1};
  const auto stops = [&](const std::vector<float>& row) {
    return std::log2(double{measure_row(row, options).metered_luminance});
  };
  constexpr double kBin = 8.0 / 256;
  EXPECT_NEAR(stops({0.125F, 1.0F, 3.0F}), (-3 + 0 + std::log2(3)) / 3, kBin / 2 + 1e-6);
  const double first = -4 + kBin / 2, last = 4 - kBin / 2;
  for (const float outside : {0x1p5F, 0x1p10F, 0x1p60F}) {
    EXPECT_NEAR(stops({1.0F, outside, outside}), (kBin / 2 + 2 * last) / 3, 1e-5) << outside;
    EXPECT_NEAR(stops({1.0F, 1 / outside, 1 / outside}), (0 + 2 * first) / 3, 1e-5) << outside;
  }
  EXPECT_NEAR(stops({0x1p10F, 0x1p10F}), 10, 1e-5) << "constants are exact, outside too";
}

TEST(CpuLuminance, NeverFallsWhenPixelsRise) {
  Random random(77);
  for (int round = 0; round < 60; ++round) {
    MeterOptions options{.delta = round % 4 == 0 ? 0.0F : 1e-4F,
                         .statistic = static_cast<MeterStatistic>(round % 3),
                         .clip_low = random.between(0.0F, 0.45F),
                         .clip_high = random.between(0.5F, 1.0F)};
    if (round % 2 == 0) options.histogram_low = -8, options.histogram_high = 4;
    std::vector<float> row(1 + random.below(40));
    for (float& value : row) value = random.below(3) == 0 ? 0.0F : std::exp2(random.between(-45.0F, 6.0F));
    float before = measure_row(row, options).adapted_luminance;
    for (int step = 0; step < 60; ++step) {
      float& pixel = row[random.below(static_cast<uint32_t>(row.size()))];
      const float factor = std::exp2(random.below(2) == 0 ? random.between(0.0F, 0.05F) : random.between(0.0F, 12.0F));
      pixel = pixel == 0 ? std::exp2(random.between(-149.0F, 0.0F)) : std::min(pixel * factor, 0x1p30F);
      const float after = measure_row(row, options).adapted_luminance;
      ASSERT_GE(after, before * (1 - 2e-6F)) << "round " << round << " step " << step;
      before = after;
    }
  }
}

// The weight of a pixel above the metered luminance, or above both percentiles, never lowers it.
TEST(CpuLuminance, NeverFallsWhenBrightPixelsWeighMore) {
  Random random(78);
  for (int round = 0; round < 60; ++round) {
    const MeterOptions options{.size = {16, 1},
                               .source = Format::kR32Sfloat,
                               .metering = Metering::kMask,
                               .mask = Format::kR8Unorm,
                               .statistic = static_cast<MeterStatistic>(round % 3)};
    std::vector<float> row(16);
    std::vector<uint8_t> mask(16);
    for (float& value : row) value = std::exp2(random.between(-10.0F, 6.0F));
    for (uint8_t& weight : mask) weight = static_cast<uint8_t>(1 + random.below(200));
    const size_t brightest = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    const ImageView image{row.data(), Format::kR32Sfloat, {16, 1}, 1, 64, 0};
    const ImageView weights{mask.data(), Format::kR8Unorm, {16, 1}, 1, 16, 0};
    float before = measure(options, image, weights)[0].adapted_luminance;
    for (const uint8_t weight : {uint8_t{201}, uint8_t{230}, uint8_t{255}}) {
      mask[brightest] = weight;
      const float after = measure(options, image, weights)[0].adapted_luminance;
      ASSERT_GE(after, before * (1 - 2e-6F)) << round;
      before = after;
    }
  }
}

TEST(CpuLuminance, BlackFirstFramesAreNoHistory) {
  const MeterFrame next{.seconds = 1.0F / 24, .cut = false};
  for (const MeterStatistic statistic :
       {MeterStatistic::kLogAverage, MeterStatistic::kMean, MeterStatistic::kPercentiles}) {
    const MeterOptions options{.statistic = statistic};
    MeterResult state = measure_row({0.0F, 0.0F}, options);
    for (const float dark : {0.0F, -1.0F, 1e-4F}) {
      state = measure_row({dark, 0.0F}, options, state, next);
      EXPECT_EQ(state.valid, 1U);
      EXPECT_EQ(state.has_history, 0U) << dark;
      EXPECT_EQ(state.exposure, 1.0F);
      EXPECT_EQ(state.ev100, 0.0F);
      EXPECT_EQ(state.adapted_luminance, 0.0F);
    }
    const MeterResult light = measure_row({0.5F, 0.5F}, options, state, next);
    EXPECT_EQ(light.has_history, 1U);
    EXPECT_EQ(light.exposure, measure_row({0.5F, 0.5F}, options).exposure) << "the first light is not adapted";
    // After light, the eye adapts to the dark.
    const MeterResult dark = measure_row({0.0F, 0.0F}, options, light, next);
    EXPECT_EQ(dark.has_history, 1U);
    EXPECT_NEAR(dark.adapted_log2, double{light.adapted_log2} - 1.0 / 24, 1e-5);
  }
}

TEST(CpuLuminance, ExtremesDoNotOverflow) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  const MeterResult result = measure_row(std::vector<float>(1000, kLargest));
  EXPECT_EQ(result.finite_count, 1000U);
  EXPECT_EQ(result.max_luminance, kLargest);
  EXPECT_NEAR(result.mean_luminance / kLargest, 1, 1e-6);
  EXPECT_EQ(result.histogram[255] + result.histogram[0], 1000U);
  const float white[] = {kLargest, kLargest, kLargest, 1};
  for (uint32_t weights = 0; weights < 3; ++weights) {
    const auto made =
        measure({.size = {1, 1}, .source = Format::kRGBA32Sfloat, .weights = static_cast<LuminanceWeights>(weights)},
                {white, Format::kRGBA32Sfloat, {1, 1}, 1, 16, 0});
    EXPECT_EQ(made[0].valid, 1U);
    EXPECT_NEAR(made[0].mean_luminance / kLargest, 1, 1e-6);
  }
}

TEST(CpuLuminance, CountersOf8KDoNotOverflow) {
  // 33 million pixels of weight 255 in one bin exceed 32 bits, and so do the sums of their logarithms.
  const Extent size{7680, 4320};
  const std::vector<uint8_t> bytes(size_t{size.width} * size.height, 46);
  const ImageView view{bytes.data(), Format::kR8Unorm, size, 1, size.width, 0};
  const std::vector<uint8_t> full(bytes.size(), 255);
  const ImageView mask{full.data(), Format::kR8Unorm, size, 1, size.width, 0};
  const MeterOptions options{.size = size,
                             .source = Format::kR8Unorm,
                             .delta = 0,
                             .metering = Metering::kMask,
                             .mask = Format::kR8Unorm,
                             .histogram_low = -10,
                             .histogram_high = 6};
  const MeterResult result = measure(options, view, mask)[0];
  const uint64_t weight = uint64_t{255} * size.width * size.height;
  ASSERT_GT(weight, uint64_t{1} << 32);
  EXPECT_EQ(result.total_weight, weight);
  EXPECT_EQ(*std::max_element(result.histogram.begin(), result.histogram.end()), weight);
  const double value = 46 / 255.0;
  EXPECT_NEAR(result.mean_luminance / value, 1, 1e-6);
  EXPECT_NEAR(result.log_average / value, 1, 1e-6);
  const MeterResult plain = measure({.size = size, .source = Format::kR8Unorm, .delta = 0}, view)[0];
  EXPECT_NEAR(plain.mean_luminance / value, 1, 1e-6);
  EXPECT_NEAR(plain.log_average / value, 1, 1e-6);
  EXPECT_EQ(plain.total_weight, bytes.size());
}

TEST(CpuLuminance, AdaptationIsThatOfItsEquation) {
  for (const float ease : {0.0F, 1.5F, 4.0F}) {
    const MeterOptions options{
        .delta = 0, .adaptation = {.up_stops_per_second = 3, .down_stops_per_second = 1, .ease_stops = ease}};
    for (const float target : {0x1p-6F, 0.8F, 1.25F, 0x1p5F}) {
      for (const float seconds : {0.0F, 0.01F, 0.7F, 3.0F, 100.0F}) {
        const MeterResult start = measure_row({1.0F}, options);
        const MeterFrame frame{.seconds = seconds, .cut = false};
        const MeterResult end = measure_row({target}, options, start, frame);
        const double expected = oracle_adapted(options.adaptation, 0, std::log2(double{target}), double{seconds});
        EXPECT_NEAR(end.adapted_log2, expected, 1e-4) << "ease " << ease << " to " << target << " in " << seconds;
        EXPECT_NEAR(end.ev100, expected + 3, 1e-4);
        EXPECT_NEAR(end.exposure * std::exp2(expected), 0.18, 1e-4);
        // Two steps of half the time, and 64 short steps, give the same state.
        MeterResult halves = start;
        for (int i = 0; i < 2; ++i)
          halves = measure_row({target}, options, halves, {.seconds = seconds / 2, .cut = false});
        EXPECT_NEAR(halves.adapted_log2, end.adapted_log2, 2e-6);
        MeterResult many = start;
        for (int i = 0; i < 64; ++i)
          many = measure_row({target}, options, many, {.seconds = seconds / 64, .cut = false});
        EXPECT_NEAR(many.adapted_log2, end.adapted_log2, 2e-5);
      }
    }
  }
  // Infinite speed adapts at once, unless 0 s have passed.
  const MeterOptions fast{.delta = 0, .adaptation = {kInfinity, kInfinity, 1.5F}};
  const MeterResult start = measure_row({1.0F}, fast);
  EXPECT_NEAR(measure_row({16.0F}, fast, start, {.seconds = 1e-3F, .cut = false}).adapted_log2, 4, 1e-6);
  EXPECT_NEAR(measure_row({16.0F}, fast, start, {.seconds = 0, .cut = false}).adapted_log2, 0, 1e-6);
  EXPECT_NEAR(measure_row({16.0F}, fast, start, {.seconds = 0, .cut = true}).adapted_log2, 4, 1e-6);
}

// The state comes from the caller: values that are not finite count as no history.
TEST(CpuLuminance, DamagedHistoryIsIgnored) {
  const MeterResult fresh = measure_row({0.18F, 0.18F});
  for (const float damaged : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity()}) {
    MeterResult before;
    before.has_history = 1;
    before.adapted_log2 = damaged;
    const MeterResult result = measure_row({0.18F, 0.18F}, {}, before, {.seconds = 0.1F});
    EXPECT_EQ(result.exposure, fresh.exposure);
    EXPECT_EQ(result.adapted_log2, fresh.adapted_log2);
  }
}

TEST(CpuLuminance, SaysWhatIsWrongWithAnImage) {
  const MeterOptions options{.size = {4, 4}, .slices = 2, .source = Format::kR8Unorm};
  auto meter = cpu::Meter::create(options);
  ASSERT_TRUE(meter);
  PaddedImage good(Format::kR8Unorm, {4, 4}, 2);
  PaddedImage small(Format::kR8Unorm, {3, 4}, 2);
  std::array<MeterResult, 2> results;
  EXPECT_TRUE(meter->measure(good.view(), results));
  const auto message = [](const Result<void>& done) { return done ? std::string() : done.error().message; };
  EXPECT_NE(message(meter->measure(small.view(), results)).find("source: size"), std::string::npos);
  EXPECT_NE(message(meter->measure(good.view(), {results.data(), 1})).find("results"), std::string::npos);
  EXPECT_NE(message(meter->measure(good.view(), results, {}, good.view())).find("mask"), std::string::npos);
  for (const float seconds : {-1.0F, kNan, kInfinity}) {
    EXPECT_NE(message(meter->measure(good.view(), results, {.seconds = seconds, .cut = false})).find("seconds"),
              std::string::npos);
  }
  EXPECT_FALSE(cpu::Meter::create({.size = {4, 4}}));
}

}  // namespace
}  // namespace onepass::testing
