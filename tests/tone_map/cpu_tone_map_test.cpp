// cpu_tone_map_test.cpp: the plan and the CPU version of tone maps: formats against the oracle, equal bits on every
// SIMD target, NaN, Inf and negative light, alpha, dithering, errors.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "tbb/global_control.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"

namespace onepass::testing {
namespace {

constexpr double kPromised = 1e-5;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

PaddedImage map_tones(const ToneMapOptions& options, const PaddedImage& source, uint32_t threads = 2,
                      float exposure = 1) {
  PaddedImage target(options.target, options.size, options.slices, 12, 20);
  auto map = cpu::ToneMap::create(options, {.threads = threads});
  EXPECT_TRUE(map.ok()) << describe(options) << (map ? "" : map.error().text());
  auto done = map->apply(source.view(), target.view(), exposure);
  EXPECT_TRUE(done.ok()) << describe(options);
  EXPECT_FALSE(target.gaps_touched()) << describe(options);
  return target;
}

ToneMapOptions floats(Extent size, ToneOperator tone_operator, Transfer transfer = Transfer::kLinear) {
  return {.size = size,
          .source = Format::kRGBA32Sfloat,
          .target = Format::kRGBA32Sfloat,
          .tone_operator = tone_operator,
          .transfer = transfer};
}

float* texel(PaddedImage& image, uint32_t x, uint32_t y = 0) {
  return reinterpret_cast<float*>(image.view().row(y)) + 4 * x;
}

/// Random texels; in float formats some are NaN, Inf, negative or very bright.
PaddedImage random_source(Format format, Extent size, uint32_t slices, Random& random) {
  PaddedImage image(format, size, slices, 4, 8);
  fill_random(image.view(), random);
  if (format == Format::kRGBA32Sfloat || format == Format::kRGBA16Sfloat) {
    const float odd[] = {kNan, kInf, -kInf, -0.0F, 1e30F, -5.0F, 1000.0F, 60.0F};
    for (int i = 0; i < 40; ++i) {
      std::array<float, 4> value{};
      for (float& v : value) v = odd[random.below(8)];
      if (!(std::fabs(value[3]) <= 1000.0F)) value[3] = 0.5F;
      const uint32_t x = random.below(size.width);
      encode_row(format, value.data(), 1,
                 image.view().row(random.below(size.height)) + size_t{x} * format_info(format).bytes_per_texel);
    }
  }
  return image;
}

TEST(ToneMapPlan, CountsBytes) {
  const auto plan =
      plan_tone_map({.size = {3840, 2160}, .slices = 2, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Srgb});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytes_read, uint64_t{3840} * 2160 * 2 * 8);
  EXPECT_EQ(plan->bytes_written, uint64_t{3840} * 2160 * 2 * 4);
}

TEST(ToneMapPlan, SaysWhatIsWrong) {
  const ToneMapOptions good{.size = {16, 16}, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Srgb};
  const auto message = [&](const std::function<void(ToneMapOptions&)>& change) {
    ToneMapOptions options = good;
    change(options);
    const auto plan = plan_tone_map(options);
    EXPECT_TRUE(plan || plan.error().code == ErrorCode::kInvalidArgument);
    return plan ? std::string("fine") : plan.error().message;
  };
  EXPECT_EQ(message([](auto&) {}), "fine");
  EXPECT_EQ(message([](auto& o) { o.size = {0, 5}; }), "size: 0x5 is not within 1x1 and 65535x65535");
  EXPECT_EQ(message([](auto& o) { o.size = {5, 65536}; }), "size: 5x65536 is not within 1x1 and 65535x65535");
  EXPECT_EQ(message([](auto& o) { o.slices = 0; }), "slices: 0, at least one is needed");
  EXPECT_EQ(message([](auto& o) { o.source = Format::kUndefined; }), "source: unknown format 0");
  EXPECT_EQ(message([](auto& o) { o.target = static_cast<Format>(5); }), "target: unknown format 5");
  EXPECT_EQ(message([](auto& o) { o.target = Format::kD16Unorm; }),
            "target: depth format d16_unorm can only be a source");
  EXPECT_EQ(message([](auto& o) { o.target = Format::kR8Unorm; }),
            "target: r8_unorm has 1 channel, but source r16g16b16a16_sfloat has 4");
  EXPECT_EQ(message([](auto& o) { o.transfer = Transfer::kPq; }),
            "transfer: not srgb, but target r8g8b8a8_srgb holds sRGB codes");
  EXPECT_EQ(message([](auto& o) {
              o.dither = Dither::kOn;
              o.target = Format::kRGBA16Sfloat;
            }),
            "dither: on, but target r16g16b16a16_sfloat has no steps to hide");
  EXPECT_EQ(message([](auto& o) { o.exposure = -1; }), "exposure: -1 is not a finite number from 0 on");
  EXPECT_EQ(message([](auto& o) { o.exposure = kNan; }), "exposure: nan is not a finite number from 0 on");
  EXPECT_EQ(message([](auto& o) { o.exposure = kInf; }), "exposure: inf is not a finite number from 0 on");
  EXPECT_EQ(message([](auto& o) { o.white = 0; }), "white: 0 is not within 0.015625 and 65504");
  EXPECT_EQ(message([](auto& o) { o.gamma = 0.5F; }), "gamma: 0.5 is not within 1 and 3");
  EXPECT_EQ(message([](auto& o) { o.peak_nits = kNan; }), "peak_nits: nan is not within 1 and 10000");
  EXPECT_EQ(message([](auto& o) { o.drago.bias = 2; }), "drago.bias: 2 is not within 0.5 and 1");
  EXPECT_EQ(message([](auto& o) { o.drago.average = 0; }), "drago.average: 0 is not within 0.01 and 65504");
  EXPECT_EQ(message([](auto& o) { o.drago.white = -3; }), "drago.white: -3 is not within 0.01 and 65504");
  constexpr size_t kAfterLast = kAllOperators.size();
  EXPECT_EQ(message([](auto& o) { o.tone_operator = static_cast<ToneOperator>(kAfterLast); }),
            "tone_operator: " + std::to_string(kAfterLast) + " is not an enumerator");
  EXPECT_EQ(message([](auto& o) {
              o.look = AgxLook::kPunchy;
              o.tone_operator = ToneOperator::kHable;
            }),
            "look: golden and punchy are for the AgX operators");
}

TEST(CpuToneMap, EveryPairOfFormats) {
  Random random(21);
  uint32_t pairs = 0;
  for (const FormatInfo& source : all_formats()) {
    for (const FormatInfo& target : all_formats()) {
      ToneMapOptions options{.size = {53, 7},
                             .slices = 2,
                             .source = source.format,
                             .target = target.format,
                             .tone_operator = kAllOperators[pairs % kAllOperators.size()],
                             .exposure = 1.5F};
      if (!plan_tone_map(options)) continue;
      const PaddedImage image = random_source(source.format, options.size, 2, random);
      ASSERT_TRUE(tones_match(options, image.view(), map_tones(options, image, 2, 0.75F).view(), kPromised, 0.75));
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 24U * 9 + 10 * 5 + 5 * 4) << "pairs of formats";
}

TEST(CpuToneMap, ExtremeOptions) {
  const PaddedImage image = saturated_light();
  for (const ToneMapOptions& options : extreme_options()) {
    const PaddedImage out = map_tones(options, image);
    EXPECT_TRUE(tones_match(options, image.view(), out.view(), kPromised))
        << options.drago.white << " " << options.drago.bias;
  }
}

TEST(CpuToneMap, LooksOfDarkChannels) {
  const PaddedImage image = steep_light();
  for (const ToneMapOptions& options : look_options()) {
    EXPECT_TRUE(tones_match(options, image.view(), map_tones(options, image).view(), kPromised));
  }
}

// With or without a lookup table, which depends on the number of threads.
TEST(CpuToneMap, GammaOneIsTheSameForAnyNumberOfThreads) {
  Random random(31);
  for (const Format target : {Format::kRGBA8Unorm, Format::kA2B10G10R10Unorm}) {
    ToneMapOptions options{.size = {300, 300},
                           .source = Format::kRGBA16Sfloat,
                           .target = target,
                           .tone_operator = ToneOperator::kExposure,
                           .transfer = Transfer::kGamma,
                           .gamma = 1};
    const PaddedImage image = random_source(options.source, options.size, 1, random);
    const PaddedImage one = map_tones(options, image, 1), many = map_tones(options, image, 3);
    EXPECT_TRUE(tones_match(options, image.view(), one.view(), kPromised));
    EXPECT_EQ(std::memcmp(one.bytes().data(), many.bytes().data(), one.bytes().size()), 0);
  }
}

TEST(CpuToneMap, WidthsAroundPiecesAndVectors) {
  Random random(22);
  for (const uint32_t width : {1U, 2U, 3U, 15U, 16U, 17U, 511U, 512U, 513U, 1025U, 4099U}) {
    for (const Format target : {Format::kRGBA8Srgb, Format::kA2B10G10R10Unorm, Format::kRGBA16Sfloat}) {
      ToneMapOptions options{
          .size = {width, 3}, .source = Format::kRGBA16Sfloat, .target = target, .tone_operator = ToneOperator::kHable};
      options.dither = format_info(target).type == ChannelType::kFloat ? Dither::kOff : Dither::kOn;
      const PaddedImage image = random_source(options.source, options.size, 1, random);
      ASSERT_TRUE(tones_match(options, image.view(), map_tones(options, image).view(), kPromised));
    }
  }
}

TEST(CpuToneMap, SameBitsOnEverySimdTargetAndThreadCount) {
  const tbb::global_control more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 7);
  Random random(23);
  for (const ToneOperator tone_operator : kAllOperators) {
    for (const Format target : {Format::kRGBA8Srgb, Format::kRGBA32Sfloat, Format::kA2B10G10R10Unorm}) {
      for (const Primaries primaries : {Primaries::kRec709, Primaries::kRec2020}) {
        ToneMapOptions options{.size = {133, 21},
                               .source = Format::kRGBA16Sfloat,
                               .target = target,
                               .tone_operator = tone_operator,
                               .primaries = primaries};
        options.dither = target == Format::kRGBA32Sfloat ? Dither::kOff : Dither::kOn;
        if (target == Format::kA2B10G10R10Unorm) options.transfer = Transfer::kPq;
        const PaddedImage source = random_source(options.source, options.size, 1, random);
        const PaddedImage expected = map_tones(options, source, 1);
        EXPECT_EQ(map_tones(options, source, 7).bytes(), expected.bytes());
        for (const size_t simd : machine_targets()) {
          const OnlyTarget only(simd);
          EXPECT_EQ(map_tones(options, source).bytes(), expected.bytes())
              << name_of_target(simd) << " " << describe(options);
        }
      }
    }
  }
}

// NaN and negative light become black, Inf becomes the maximum; no output is NaN.
TEST(CpuToneMap, NanInfAndNegativeLight) {
  const float odd[] = {kNan, -kNan, kInf, -kInf, -1.0F, -1e-30F, -0.0F, 0.0F, 1e-40F, 3e38F, 65504.0F, 0.18F};
  constexpr uint32_t kOdd = 12;
  for (const ToneOperator tone_operator : kAllOperators) {
    for (const Transfer transfer : kAllTransfers) {
      const ToneMapOptions options = floats({kOdd * kOdd * kOdd, 1}, tone_operator, transfer);
      PaddedImage source(options.source, options.size);
      for (uint32_t i = 0; i < options.size.width; ++i) {
        const float value[4] = {odd[i % kOdd], odd[i / kOdd % kOdd], odd[i / kOdd / kOdd], 1.0F};
        std::memcpy(texel(source, i), value, sizeof value);
      }
      for (const float exposure : {1.0F, 3e38F, 1e-38F}) {
        PaddedImage target = map_tones(options, source, 1, exposure);
        ASSERT_TRUE(tones_match(options, source.view(), target.view(), kPromised, exposure)) << exposure;
        for (uint32_t i = 0; i < options.size.width; ++i) {
          for (int c = 0; c < 3; ++c) ASSERT_TRUE(std::isfinite(texel(target, i)[c])) << describe(options) << i;
        }
      }
    }
  }
}

TEST(CpuToneMap, UnusableExposureCountsAsOne) {
  const ToneMapOptions options = floats({64, 1}, ToneOperator::kReinhard);
  Random random(24);
  const PaddedImage source = random_source(options.source, options.size, 1, random);
  const PaddedImage expected = map_tones(options, source);
  for (const float exposure : {kNan, kInf, -kInf, -1.0F, 0.0F}) {
    EXPECT_EQ(map_tones(options, source, 1, exposure).bytes(), expected.bytes());
  }
  EXPECT_NE(map_tones(options, source, 1, 2).bytes(), expected.bytes());
}

TEST(CpuToneMap, AlphaPassesThrough) {
  const float alphas[] = {0, 1, 0.5F, 0.25F, -3, 7, 1e-20F, kInf};
  ToneMapOptions options = floats({8, 1}, ToneOperator::kAgxBlender, Transfer::kSrgb);
  options.exposure = 16;
  PaddedImage source(options.source, options.size);
  for (uint32_t i = 0; i < 8; ++i) {
    const float value[4] = {0.5F, 0.5F, 0.5F, alphas[i]};
    std::memcpy(texel(source, i), value, sizeof value);
  }
  PaddedImage target = map_tones(options, source);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(texel(target, i)[3], alphas[i]);
  texel(source, 3)[3] = kNan;
  target = map_tones(options, source);
  EXPECT_EQ(texel(target, 3)[3], 0.0F);
  // 8-bit alpha is copied unchanged.
  options.source = Format::kRGBA8Unorm;
  options.target = Format::kRGBA8Unorm;
  options.dither = Dither::kOn;
  options.size = {256, 1};
  PaddedImage codes(options.source, options.size);
  for (uint32_t i = 0; i < 1024; ++i) codes.view().row(0)[i] = static_cast<std::byte>(i / 4);
  const PaddedImage mapped = map_tones(options, codes);
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(mapped.view().row(0)[4 * i + 3], static_cast<std::byte>(i));
}

TEST(CpuToneMap, InPlace) {
  ToneMapOptions options = floats({700, 9}, ToneOperator::kPbrNeutral, Transfer::kSrgb);
  Random random(25);
  PaddedImage source = random_source(options.source, options.size, 1, random);
  const PaddedImage expected = map_tones(options, source);
  auto map = cpu::ToneMap::create(options);
  ASSERT_TRUE(map);
  ASSERT_TRUE(map->apply(source.view(), source.view()));
  for (uint32_t y = 0; y < options.size.height; ++y) {
    EXPECT_EQ(std::memcmp(source.view().row(y), expected.view().row(y), size_t{700} * 16), 0);
  }
}

/// Maps `source` to a target in front of it. Returns false unless the rows are those of a map to other memory.
bool maps_in_front(const ToneMapOptions& options, Format stored, PaddedImage& source, uint32_t threads) {
  const size_t row_bytes = size_t{options.size.width} * texel_info(stored).bytes_per_texel;
  std::vector<std::byte> expected(row_bytes * options.size.height);
  const MutableImageView elsewhere{expected.data(), stored, options.size, 1, row_bytes, 0};
  const MutableImageView front{source.view().data, stored, options.size, 1, row_bytes, 0};
  auto map = cpu::ToneMap::create(options, {.threads = threads});
  EXPECT_TRUE(map) << map.error().text();
  EXPECT_TRUE(map->apply(source.view(), elsewhere));
  EXPECT_TRUE(map->apply(source.view(), front));
  return std::memcmp(front.data, expected.data(), expected.size()) == 0;
}

TEST(CpuToneMap, SmallerTexelsInFrontOfTheSource) {
  Random random(27);
  struct Pair {
    Format source, target, stored;
  };
  for (const auto& [from, to, stored] :
       {Pair{Format::kRGBA16Sfloat, Format::kRGBA8Srgb, Format::kRGBA8Srgb},
        Pair{Format::kRGBA16Sfloat, Format::kRGBA8Srgb, Format::kRGB8Srgb},
        Pair{Format::kRGBA32Sfloat, Format::kRGBA16Sfloat, Format::kRGBA16Sfloat},
        Pair{Format::kRGBA32Sfloat, Format::kA2B10G10R10Unorm, Format::kA2B10G10R10Unorm},
        Pair{Format::kR16Sfloat, Format::kR8Unorm, Format::kR8Unorm}}) {
    for (const Extent size : {Extent{1, 1}, Extent{3, 2}, Extent{1000, 300}, Extent{5000, 9}}) {
      for (const bool local : {false, true}) {
        for (const uint32_t threads : {1U, 2U, 7U}) {
          ToneMapOptions options{.size = size, .source = from, .target = to};
          if (to == Format::kRGBA16Sfloat) options.transfer = Transfer::kLinear;
          if (local) options.local = {.highlights = 0.6F, .shadows = 0.7F};
          PaddedImage source = random_source(from, size, 1, random);
          ASSERT_TRUE(maps_in_front(options, stored, source, threads)) << describe(options) << " " << threads;
        }
      }
    }
  }
}

// Quantised values by halves, and non-temporal stores.
TEST(CpuToneMap, LargeImagesInFrontOfTheSource) {
  Random random(28);
  for (const ToneOperator tone_operator : {ToneOperator::kReinhard, ToneOperator::kAgxBlender}) {
    for (const uint32_t threads : {1U, 2U, 7U}) {
      ToneMapOptions options{.size = {1500, 800},
                             .source = Format::kRGBA16Sfloat,
                             .target = Format::kRGBA8Srgb,
                             .tone_operator = tone_operator};
      PaddedImage source = random_source(options.source, options.size, 1, random);
      ASSERT_TRUE(maps_in_front(options, options.target, source, threads)) << describe(options) << " " << threads;
    }
  }
}

TEST(CpuToneMap, UnalignedWordTargets) {
  ToneMapOptions options{.size = {77, 3}, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Srgb};
  Random random(26);
  const PaddedImage source = random_source(options.source, options.size, 1, random);
  const PaddedImage expected = map_tones(options, source);
  std::vector<std::byte> bytes(77 * 4 * 3 + 64);
  const MutableImageView view{bytes.data() + 1, options.target, options.size, 1, 77 * 4 + 3, 0};
  auto map = cpu::ToneMap::create(options);
  ASSERT_TRUE(map);
  ASSERT_TRUE(map->apply(source.view(), view));
  for (uint32_t y = 0; y < 3; ++y) EXPECT_EQ(std::memcmp(view.row(y), expected.view().row(y), 77 * 4), 0);
}

// ---- Dithering

ToneMapOptions dithered(Extent size, Format target) {
  return {.size = size,
          .source = Format::kRGBA32Sfloat,
          .target = target,
          .tone_operator = ToneOperator::kExposure,
          .transfer = Transfer::kLinear,
          .dither = Dither::kOn};
}

PaddedImage flat(Extent size, float value) {
  PaddedImage image(Format::kRGBA32Sfloat, size);
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) std::fill_n(texel(image, x, y), 4, value);
  }
  return image;
}

TEST(CpuToneMap, DitherKeepsMeansAndCodes) {
  const Extent size{128, 128};
  const ToneMapOptions options = dithered(size, Format::kRGBA8Unorm);
  for (const float codes : {0.0F, 1.0F, 100.0F, 255.0F, 17.25F, 99.5F, 200.9F}) {
    const PaddedImage out = map_tones(options, flat(size, codes / 255));
    double sum = 0;
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        const double code = std::to_integer<int>(out.view().row(y)[4 * x]);
        sum += code;
        ASSERT_LE(std::fabs(code - codes), 1.0);
        if (codes == std::floor(codes)) {
          ASSERT_EQ(code, codes);
        }
      }
    }
    EXPECT_NEAR(sum / (size.width * size.height), codes, 0.002) << codes;
  }
}

// Values that are exact in 10 or 16 bits, also odd ones and the maximum, are not changed by dithering.
TEST(CpuToneMap, DitherKeepsFineCodes) {
  const Extent size{256, 64};
  for (const Format target : {Format::kA2B10G10R10Unorm, Format::kRGBA16Unorm}) {
    const uint32_t most = target == Format::kRGBA16Unorm ? 65535 : 1023;
    ToneMapOptions options = dithered(size, target);
    for (const uint32_t code : {0U, 1U, 501U, 777U, 1001U, 1021U, 1023U, 40000U, 40001U, 65534U, 65535U}) {
      if (code > most) continue;
      const PaddedImage out = map_tones(options, flat(size, static_cast<float>(code) / static_cast<float>(most)));
      std::vector<float> row(size_t{4} * size.width);
      for (uint32_t y = 0; y < size.height; ++y) {
        decode_row(target, out.view().row(y), size.width, row.data());
        for (uint32_t x = 0; x < size.width; ++x) {
          ASSERT_NEAR(row[size_t{4} * x] * static_cast<float>(most), code, 0.01) << x << " " << y;
        }
      }
    }
  }
}

// RMS error of 8x8 block means: below 0.02 steps; white noise would give 0.289 / 8 = 0.036 steps.
TEST(CpuToneMap, DitherIsAtHighFrequencies) {
  const Extent size{256, 256};
  const PaddedImage out = map_tones(dithered(size, Format::kRGBA8Unorm), flat(size, 99.37F / 255));
  double squares = 0;
  for (uint32_t by = 0; by < 32; ++by) {
    for (uint32_t bx = 0; bx < 32; ++bx) {
      double sum = 0;
      for (uint32_t i = 0; i < 64; ++i) {
        sum += std::to_integer<int>(out.view().row(8 * by + i / 8)[4 * (8 * bx + i % 8)]);
      }
      squares += (sum / 64 - 99.37) * (sum / 64 - 99.37);
    }
  }
  EXPECT_LT(std::sqrt(squares / 1024), 0.02);
}

TEST(CpuToneMap, DitherDependsOnThePositionOnly) {
  for (const Format target : {Format::kRGBA8Unorm, Format::kA2B10G10R10Unorm, Format::kRGBA16Unorm}) {
    ToneMapOptions options = dithered({1300, 40}, target);
    const PaddedImage source = flat(options.size, 0.3371F);
    const PaddedImage once = map_tones(options, source, 1);
    EXPECT_EQ(map_tones(options, source, 2).bytes(), once.bytes());
    ASSERT_TRUE(tones_match(options, source.view(), once.view(), kPromised));
  }
}

// ---- Errors of views

TEST(CpuToneMap, ViewsAreChecked) {
  const ToneMapOptions options = floats({33, 17}, ToneOperator::kReinhard);
  auto map = cpu::ToneMap::create(options);
  ASSERT_TRUE(map);
  PaddedImage right(options.source, options.size);
  PaddedImage small(options.source, {32, 17});
  PaddedImage half(Format::kRGBA16Sfloat, options.size);
  EXPECT_TRUE(map->apply(right.view(), right.view()));
  EXPECT_EQ(map->apply(small.view(), right.view()).error().message, "source: size 32x17, expected 33x17");
  EXPECT_EQ(map->apply(right.view(), half.view()).error().message,
            "target: format r16g16b16a16_sfloat, expected r32g32b32a32_sfloat");
  EXPECT_EQ(cpu::ToneMap::create({}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace onepass::testing
