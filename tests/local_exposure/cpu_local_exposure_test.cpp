// cpu_local_exposure_test.cpp: local exposure on the CPU: against the definition, no halos at edges, cases that must
// not change, NaN and other non-colours, equal bits for all threads and SIMD targets, errors.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "onepass/frame_tone_map.hpp"
#include "onepass/luminance.hpp"
#include "tbb/global_control.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/local_exposure/local_exposure_oracle.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

// Relative error in light: a few fp32 roundings of sums of stops.
constexpr double kPromised = 4e-6;

PaddedImage map_tones(const ToneMapOptions& options, const ImageView& source, float exposure = 1,
                      uint32_t threads = 2) {
  PaddedImage target(options.target, options.size, options.slices, 12, 20);
  auto map = cpu::ToneMap::create(options, {.threads = threads});
  EXPECT_TRUE(map.ok()) << describe_local(options) << (map ? "" : map.error().text());
  EXPECT_TRUE(map->apply(source, target.view(), exposure).ok());
  EXPECT_FALSE(target.gaps_touched());
  return target;
}

ToneMapOptions plain(Extent size, const LocalExposure& local) {
  return {.size = size,
          .source = Format::kRGBA32Sfloat,
          .target = Format::kRGBA32Sfloat,
          .tone_operator = ToneOperator::kExposure,
          .transfer = Transfer::kLinear,
          .local = local};
}

float* texel(PaddedImage& image, uint32_t x, uint32_t y) {
  return reinterpret_cast<float*>(image.view().row(y)) + size_t{4} * x;
}

/// A grey image with log2 luminance stops(x, y).
PaddedImage grey_image(Extent size, const std::function<double(uint32_t x, uint32_t y)>& stops) {
  PaddedImage image(Format::kRGBA32Sfloat, size);
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      const auto value = static_cast<float>(std::exp2(stops(x, y)));
      for (int i = 0; i < 3; ++i) texel(image, x, y)[i] = value;
      texel(image, x, y)[3] = 1;
    }
  }
  return image;
}

TEST(CpuLocalExposure, IsThatOfTheDefinition) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Extent size :
       {Extent{1, 1}, Extent{2, 1}, Extent{17, 1}, Extent{1, 40}, Extent{16, 16}, Extent{33, 47}, Extent{95, 64}}) {
    for (int i = 0; i < (full_run() ? 20 : 3); ++i) {
      const ToneMapOptions options = local_options(size, Format::kRGBA32Sfloat, random);
      PaddedImage source(options.source, size);
      fill_local_scene(source.view(), random, i % 2 == 1);
      const auto exposure = std::exp2(random.between(-6, 6));
      const PaddedImage actual = map_tones(options, source.view(), exposure);
      ASSERT_TRUE(local_matches(options, source.view(), actual.view(), {exposure}, kPromised, random, 300))
          << "seed " << seed;
    }
  }
  // A small region and the largest (1/2), in rows of several pieces.
  for (const float region : {0.02F, 0.5F}) {
    ToneMapOptions options = local_options({1100, 640}, Format::kRGBA16Sfloat, random);
    options.local.region = region;
    options.slices = 2;
    PaddedImage source(options.source, options.size, 2, 8, 16);
    fill_local_scene(source.view(), random);
    const PaddedImage actual = map_tones(options, source.view(), 2);
    ASSERT_TRUE(local_matches(options, source.view(), actual.view(), {2, 2}, kPromised, random, 20)) << "seed " << seed;
  }
}

TEST(CpuLocalExposure, EverySourceFormat) {
  Random random(40);
  for (const FormatInfo& format : all_formats()) {
    ToneMapOptions options = local_options({50, 35}, format.format, random);
    if (!plan_tone_map(options)) continue;
    PaddedImage source(format.format, options.size, 1, 4);
    fill_local_scene(source.view(), random);
    const PaddedImage actual = map_tones(options, source.view());
    ASSERT_TRUE(local_matches(options, source.view(), actual.view(), {1}, kPromised, random, 100));
  }
}

TEST(CpuLocalExposure, ConstantImages) {
  // Luminances within ten stops of grey, the limit of the effect. With metered exposure a constant image becomes grey.
  std::vector<float> values = {0.001F, 0.18F, 0.7F, 1.0F, 1.4142135F, 40.0F, 150.0F};
  Random random(44);
  for (int i = 0; i < 200; ++i) values.push_back(std::exp2(random.between(-9, 7)));
  for (const float value : values) {
    const ToneMapOptions options = plain({100, 60}, {.highlights = 0.5F, .shadows = 0.5F, .detail = 2.0F});
    const PaddedImage source = grey_image(options.size, [&](uint32_t, uint32_t) { return std::log2(double{value}); });
    MeterResult metered;
    auto meter = cpu::Meter::create({.size = options.size, .source = options.source, .delta = 0});
    ASSERT_TRUE(meter && meter->measure(source.view(), {&metered, 1}));
    PaddedImage actual = map_tones(options, source.view(), metered.exposure);
    for (uint32_t x = 0; x < 100; ++x) ASSERT_NEAR(texel(actual, x, x % 60)[1], 0.18, 1e-6 * 0.18) << value;
    // With exposure 1 the whole image is scaled: grey * (value / grey)^contrast.
    const double expected = 0.18 * std::pow(double{value} / 0.18, 0.5);
    actual = map_tones(options, source.view());
    for (uint32_t x = 0; x < 100; ++x) ASSERT_NEAR(texel(actual, x, x % 60)[0], expected, 2e-6 * expected) << value;
  }
}

TEST(CpuLocalExposure, ConstantImagesBetweenAnyTwoNodes) {
  // Exposed to grey, every luminance stays grey. Those half a stop above a whole number are at a node.
  std::vector<double> places;
  for (int i = -195; i <= 195; ++i) places.push_back(i / 10.0);
  for (int i = -19; i < 19; ++i) {
    for (const double beside : {-2e-7, -1e-7, 1e-7, 2e-7}) places.push_back(i + 0.5 + beside);
  }
  const ToneMapOptions options = plain({64, 32}, {.highlights = 0.5F, .shadows = 0.5F, .detail = 2.0F});
  for (const double stops : places) {
    const PaddedImage source = grey_image(options.size, [&](uint32_t, uint32_t) { return stops; });
    PaddedImage actual = map_tones(options, source.view(), static_cast<float>(0.18 * std::exp2(-stops)));
    for (uint32_t x = 0; x < 64; ++x) ASSERT_NEAR(texel(actual, x, x % 32)[1], 0.18, 2e-6 * 0.18) << stops;
  }
}

TEST(CpuLocalExposure, TenStopsFromGreyIsAsFarAsItGoes) {
  const ToneMapOptions options = plain({40, 40}, {.highlights = 0.5F, .shadows = 0.25F, .grey = 1.0F});
  for (const double stops : {-19.0, -13.0, -10.0, 10.0, 12.0, 15.0}) {
    const PaddedImage source = grey_image(options.size, [&](uint32_t, uint32_t) { return stops; });
    PaddedImage actual = map_tones(options, source.view());
    const double expected = std::exp2(stops + (stops > 0 ? -5.0 : 7.5));
    EXPECT_NEAR(texel(actual, 7, 9)[0], expected, 2e-6 * expected) << stops;
  }
}

TEST(CpuLocalExposure, ContrastsOfOneChangeNoBit) {
  Random random(41);
  PaddedImage source(Format::kRGBA16Sfloat, {130, 70});
  fill_local_scene(source.view(), random, true);
  ToneMapOptions options = local_options({130, 70}, Format::kRGBA16Sfloat, random);
  options.local = {.grey = 3.0F, .region = 0.2F};
  EXPECT_FALSE(options.local.enabled());
  ToneMapOptions off = options;
  off.local = {};
  EXPECT_EQ(map_tones(options, source.view()).bytes(), map_tones(off, source.view()).bytes());
  // Runs the grid without effect: no texel is brighter than `grey`, so `highlights` applies to none.
  options.local = {.highlights = 0.5F, .grey = 65536.0F};
  for (const Format target : {Format::kRGBA32Sfloat, Format::kRGBA8Unorm, Format::kA2B10G10R10Unorm}) {
    options.target = off.target = target;
    EXPECT_EQ(map_tones(options, source.view(), 0.5F).bytes(), map_tones(off, source.view(), 0.5F).bytes());
  }
}

TEST(CpuLocalExposure, StepsHaveNoHalo) {
  // Two flat areas, each 120 texels wide. Regions are 16 wide, so the middle of one must not depend on the other.
  const Extent size{240, 40};
  for (const float contrast : {0.3F, 0.6F}) {
    const ToneMapOptions options = plain(size, {.highlights = contrast, .shadows = contrast, .grey = 1.0F});
    double worst = 0;
    for (double height = 0.125; height <= 9.5; height += 0.125) {
      for (const double low : {-5.0, -1.3, 0.25}) {
        const PaddedImage source = grey_image(size, [&](uint32_t x, uint32_t) { return low + (x < 120 ? 0 : height); });
        PaddedImage actual = map_tones(options, source.view());
        const double dark = std::log2(texel(actual, 20, 20)[0]), bright = std::log2(texel(actual, 220, 20)[0]);
        EXPECT_NEAR(dark, low * contrast, 1e-5);
        EXPECT_NEAR(bright, (low + height) * contrast, 1e-5);
        double halo = 0;
        for (uint32_t x = 20; x < 220; ++x) {
          const double value = std::log2(texel(actual, x, 20)[0]);
          halo = std::max(halo, std::fabs(value - (x < 120 ? dark : bright)));
          if (x != 120) continue;
          // The edge itself is neither reversed nor amplified.
          const double edge = value - std::log2(texel(actual, 119, 20)[0]);
          EXPECT_GE(edge, height * contrast - 1e-5) << height;
          EXPECT_LE(edge, height + 1e-5) << height;
        }
        if (height >= 3) {
          EXPECT_LE(halo, 1e-5) << "a step of " << height << " stops from " << low;
        }
        worst = std::max(worst, halo / (1 - double{contrast}));
      }
    }
    // Smaller steps count as detail and keep part of their contrast; the deviation is largest at a step of 1.2 stops.
    EXPECT_LE(worst, 0.41);
    EXPECT_GE(worst, 0.2);
  }
}

TEST(CpuLocalExposure, DetailKeepsItsContrast) {
  // A ripple of 0.1 stops on flat areas eight stops apart.
  const Extent size{256, 64};
  const auto ripple = [](uint32_t x, uint32_t y) { return (x + y) % 2 == 0 ? 0.05 : -0.05; };
  const PaddedImage source =
      grey_image(size, [&](uint32_t x, uint32_t y) { return (x < 128 ? -4.0 : 4.0) + ripple(x, y); });
  for (const float detail : {1.0F, 2.0F}) {
    const ToneMapOptions options =
        plain(size, {.highlights = 0.5F, .shadows = 0.5F, .detail = detail, .grey = 1.0F, .region = 0.25F});
    PaddedImage actual = map_tones(options, source.view());
    for (const uint32_t x : {10U, 100U, 126U, 130U, 240U}) {
      const double a = std::log2(texel(actual, x, 30)[1]), b = std::log2(texel(actual, x, 31)[1]);
      EXPECT_NEAR((a + b) / 2, x < 128 ? -2.0 : 2.0, 0.01) << x;
      // A texel has slightly more weight in its own base value than the opposite texels of the ripple.
      EXPECT_NEAR(std::fabs(a - b), 0.1 * double{detail}, 0.015) << x;
    }
  }
}

TEST(CpuLocalExposure, ExposureMovesWithLight) {
  // Scaling light by 2^k and exposure by 2^-k gives the same image.
  Random random(42);
  const ToneMapOptions options = local_options({90, 50}, Format::kRGBA32Sfloat, random);
  PaddedImage source(options.source, options.size);
  fill_local_scene(source.view(), random);
  PaddedImage expected = map_tones(options, source.view());
  for (const int stops : {-3, 1, 4}) {
    PaddedImage other(options.source, options.size);
    for (uint32_t y = 0; y < 50; ++y) {
      for (uint32_t i = 0; i < 360; ++i) texel(other, 0, y)[i] = std::ldexp(texel(source, 0, y)[i], stops);
    }
    PaddedImage actual = map_tones(options, other.view(), std::ldexp(1.0F, -stops));
    for (uint32_t y = 0; y < 50; ++y) {
      for (uint32_t x = 0; x < 90; ++x) {
        for (int i = 0; i < 3; ++i) {
          const double wanted = double{texel(expected, x, y)[i]};
          ASSERT_NEAR(texel(actual, x, y)[i], wanted, kPromised * wanted + 1e-12);
        }
      }
    }
  }
}

TEST(CpuLocalExposure, WhatIsNoColourStaysAlone) {
  Random random(43);
  ToneMapOptions options = local_options({80, 60}, Format::kRGBA32Sfloat, random);
  PaddedImage source(options.source, options.size);
  fill_local_scene(source.view(), random, true);
  PaddedImage actual = map_tones(options, source.view());
  EXPECT_TRUE(local_matches(options, source.view(), actual.view(), {1}, kPromised, random, 1000));
  for (uint32_t y = 0; y < 60; ++y) {
    for (uint32_t i = 0; i < 320; ++i) ASSERT_TRUE(std::isfinite(texel(actual, 0, y)[i]));
  }
  // An image of such texels only: the total weight is 0.
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float value : {kNan, kInf, -kInf, 0.0F, -1.0F}) {
    for (uint32_t y = 0; y < 60; ++y) std::fill_n(texel(source, 0, y), 320, value);
    actual = map_tones(options, source.view());
    for (uint32_t x = 0; x < 80; ++x) ASSERT_EQ(texel(actual, x, x % 60)[0], value == kInf ? 65504.0F : 0.0F) << value;
  }
}

TEST(CpuLocalExposure, ThreadsAndTargetsGiveTheSameBits) {
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
  Random random(44);
  for (const Format format : {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat, Format::kRGBA8Srgb, Format::kR16Sfloat}) {
    ToneMapOptions options = local_options({533, 211}, format, random);
    options.slices = 2;
    options.local.region = 0.1F;
    PaddedImage source(format, options.size, 2);
    fill_local_scene(source.view(), random, true);
    const PaddedImage expected = map_tones(options, source.view(), 1.5F, 1);
    for (const uint32_t threads : {2U, 3U, 8U}) {
      EXPECT_EQ(expected.bytes(), map_tones(options, source.view(), 1.5F, threads).bytes()) << threads;
    }
    for (const size_t target : machine_targets()) {
      const OnlyTarget only(target);
      EXPECT_EQ(expected.bytes(), map_tones(options, source.view(), 1.5F).bytes())
          << name_of_target(target) << " " << format_info(format).name;
    }
  }
}

TEST(CpuLocalExposure, SlicesAndPlaceOfTheResult) {
  Random random(45);
  ToneMapOptions options = local_options({70, 45}, Format::kRGBA32Sfloat, random);
  options.slices = 3;
  PaddedImage source(options.source, options.size, 3);
  fill_local_scene(source.view(), random);
  const PaddedImage all = map_tones(options, source.view());
  ToneMapOptions one = options;
  one.slices = 1;
  for (uint32_t slice = 0; slice < 3; ++slice) {
    PaddedImage alone(options.source, options.size);
    for (uint32_t y = 0; y < 45; ++y) std::memcpy(alone.view().row(y), source.view().row(y, slice), size_t{16} * 70);
    const PaddedImage mapped = map_tones(one, alone.view());
    for (uint32_t y = 0; y < 45; ++y) {
      ASSERT_EQ(std::memcmp(mapped.view().row(y), all.view().row(y, slice), size_t{16} * 70), 0);
    }
  }
  // In place: the target is the source.
  auto map = cpu::ToneMap::create(options);
  ASSERT_TRUE(map && map->apply(source.view(), source.view()));
  for (uint32_t slice = 0; slice < 3; ++slice) {
    for (uint32_t y = 0; y < 45; ++y) {
      ASSERT_EQ(std::memcmp(source.view().row(y, slice), all.view().row(y, slice), size_t{16} * 70), 0);
    }
  }
}

TEST(CpuLocalExposure, PlanAndErrors) {
  const ToneMapOptions good{
      .size = {64, 32}, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Srgb, .local = {.highlights = 0.5F}};
  const auto plan = plan_tone_map(good);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytes_read, uint64_t{2} * 64 * 32 * 8);
  EXPECT_EQ(plan->bytes_written, uint64_t{64} * 32 * 4);
  const auto message = [&](const LocalExposure& local) {
    ToneMapOptions options = good;
    options.local = local;
    const auto made = cpu::ToneMap::create(options);
    return made ? std::string("fine") : made.error().message;
  };
  EXPECT_EQ(message({.highlights = 2, .shadows = 0, .detail = 4, .region = 0.5F}), "fine");
  EXPECT_EQ(message({.highlights = 2.5F}), "local.highlights: 2.5 is not within 0 and 2");
  EXPECT_EQ(message({.shadows = -1}), "local.shadows: -1 is not within 0 and 2");
  EXPECT_EQ(message({.detail = 5}), "local.detail: 5 is not within 0 and 4");
  EXPECT_NE(message({.grey = 0}).find("local.grey: 0 is not within"), std::string::npos);
  EXPECT_NE(message({.region = std::numeric_limits<float>::quiet_NaN()}).find("local.region: "), std::string::npos);
  const auto frame = plan_frame_tone_map({.meter = {.size = {64, 32}, .source = Format::kRGBA16Sfloat}, .tone = good});
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().message, "tone.local: local exposure needs the whole frame before its first texel is mapped");
}

}  // namespace
}  // namespace onepass::testing
