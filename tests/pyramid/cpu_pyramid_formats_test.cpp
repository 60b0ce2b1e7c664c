// cpu_pyramid_formats_test.cpp: every pair of formats against the oracle; equal bits on every SIMD target and for any
// number of threads.
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "tbb/global_control.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {
namespace {

Levels build(const PyramidOptions& options, const PaddedImage& source, uint32_t threads) {
  Levels levels(options);
  auto pyramid = cpu::Pyramid::create(options, {.threads = threads});
  EXPECT_TRUE(pyramid.ok()) << describe(options);
  EXPECT_TRUE(pyramid->build(source.view(), levels.views).ok());
  return levels;
}

/// One set of options for every kind of pyramid that the pair `source`, `target` allows.
std::vector<PyramidOptions> variants(Format source, Format target, Extent size) {
  std::vector<PyramidOptions> all;
  const PyramidOptions base = {.size = size, .source = source, .target = target};
  for (const Footprint footprint :
       {Footprint::kCovering, Footprint::kAligned, Footprint::kEdge, Footprint::kTight, Footprint::kCeil}) {
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMinMax}) {
      PyramidOptions options = base;
      options.footprint = footprint;
      options.reduction = reduction;
      all.push_back(options);
    }
  }
  for (const Footprint footprint : {Footprint::kCovering, Footprint::kAligned, Footprint::kEdge, Footprint::kCeil}) {
    PyramidOptions options = base;
    options.footprint = footprint;
    options.alpha = Alpha::kWeighted;
    all.push_back(options);
    options.alpha = Alpha::kCoverage;
    options.alpha_threshold = 0.4F;
    all.push_back(options);
    options.alpha = Alpha::kIndependent;
    options.normal_map = NormalMap::kRenormalize;
    all.push_back(options);
  }
  std::erase_if(all, [](const PyramidOptions& options) { return !plan_pyramid(options).ok(); });
  return all;
}

TEST(CpuPyramid, EveryPairOfFormats) {
  uint32_t pairs = 0;
  for (const FormatInfo& source_info : all_formats()) {
    for (const FormatInfo& target_info : all_formats()) {
      for (const Extent size : {Extent{37, 23}, Extent{64, 32}, Extent{5, 1}}) {
        for (const PyramidOptions& options : variants(source_info.format, target_info.format, size)) {
          if (options.alpha != Alpha::kIndependent || options.normal_map != NormalMap::kOff) continue;
          Random random(7);
          PaddedImage source(options.source, size, 1, 4, 0);
          fill_random(source.view(), random);
          const Levels levels = build(options, source, 1);
          const auto expected = oracle_pyramid(options, source.view());
          ASSERT_TRUE(matches(expected, levels.views, cpu_tolerance(options), describe(options)));
          ++pairs;
        }
      }
    }
  }
  EXPECT_GT(pairs, 1000U);
}

TEST(CpuPyramid, SameBitsOnEverySimdTargetAndThreadCount) {
  const tbb::global_control allow_more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 7);
  const std::vector<size_t> targets = machine_targets();
  std::string names;
  for (const size_t target : targets) names += std::string(names.empty() ? "" : ", ") + name_of_target(target);
  std::printf("SIMD targets: %s\n", names.c_str());
  for (const FormatInfo& source_info : all_formats()) {
    for (const FormatInfo& target_info : all_formats()) {
      const bool same_type = source_info.bytes_per_texel == target_info.bytes_per_texel;
      const Extent size = same_type ? Extent{301, 259} : Extent{67, 35};
      for (const PyramidOptions& options : variants(source_info.format, target_info.format, size)) {
        Random random(11);
        PaddedImage source(options.source, size);
        fill_random(source.view(), random);
        const Levels expected = build(options, source, 1);
        for (const uint32_t threads : {2U, 7U}) {
          ASSERT_TRUE(build(options, source, threads).same_bytes(expected))
              << describe(options) << " threads " << threads;
        }
        for (const size_t target : targets) {
          const OnlyTarget only(target);
          ASSERT_TRUE(build(options, source, 1).same_bytes(expected))
              << describe(options) << ' ' << name_of_target(target);
        }
      }
    }
  }
}

/// Builds into levels whose rows begin on cache lines; true if all texels equal `expected`.
bool aligned_build_matches(const PyramidOptions& options, const PaddedImage& source, const Levels& expected) {
  std::vector<Image> images;
  std::vector<MutableImageView> views;
  for (const MutableImageView& level : expected.views) {
    auto image = Image::create(level.format, level.size);
    EXPECT_TRUE(image.ok());
    views.push_back(image->view());
    images.push_back(std::move(*image));
  }
  auto pyramid = cpu::Pyramid::create(options, {.threads = 1});
  EXPECT_TRUE(pyramid->build(source.view(), views).ok());
  for (size_t n = 0; n < views.size(); ++n) {
    const size_t row_bytes = size_t{views[n].size.width} * format_info(views[n].format).bytes_per_texel;
    for (uint32_t y = 0; y < views[n].size.height; ++y) {
      if (std::memcmp(views[n].row(y), expected.views[n].row(y), row_bytes) != 0) return false;
    }
  }
  return true;
}

TEST(CpuPyramid, SameBitsWhereLevelsAreWrittenPastTheCaches) {
  // Sizes large enough for non-temporal stores: whole 8x8 tiles; tiles with columns and rows left over; odd sizes of
  // some levels, also the first or the second only; odd widths of all levels; rows shorter than a cache line; a last
  // column of its own. Level rows on and off cache lines.
  for (const Extent size : {Extent{1536, 1040}, Extent{1562, 1046}, Extent{1531, 1045}, Extent{1023, 805},
                            Extent{1023, 803}, Extent{47, 30011}, Extent{1022, 802}, Extent{1025, 801}}) {
    for (const Format format :
         {Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kR8Srgb, Format::kR32Sfloat, Format::kRGBA32Sfloat}) {
      for (const Reduction reduction : {Reduction::kMean, Reduction::kMin, Reduction::kMinMax}) {
        const bool pair = reduction == Reduction::kMinMax;
        if (reduction != Reduction::kMean && format != Format::kR32Sfloat) continue;
        for (const Footprint footprint : {Footprint::kAligned, Footprint::kCovering}) {
          const PyramidOptions options = {.size = size,
                                          .source = format,
                                          .target = pair ? Format::kRG32Sfloat : format,
                                          .reduction = reduction,
                                          .footprint = footprint};
          Random random(13);
          PaddedImage source(options.source, size);
          fill_random(source.view(), random);
          Levels levels(options, 12, 20);
          auto pyramid = cpu::Pyramid::create(options, {.threads = 2});
          ASSERT_TRUE(pyramid->build(source.view(), levels.views).ok());
          EXPECT_FALSE(levels.gaps_touched()) << describe(options);
          EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, cpu_tolerance(options)));
          EXPECT_TRUE(aligned_build_matches(options, source, levels)) << describe(options);
          for (const size_t target : machine_targets()) {
            const OnlyTarget only(target);
            EXPECT_TRUE(aligned_build_matches(options, source, levels))
                << describe(options) << ' ' << name_of_target(target);
          }
        }
      }
    }
  }
}

TEST(CpuPyramid, SrgbMeansOfEveryPairOfCodes) {
  // 2x2 quads of two quantised values: dark and bright means, near every rounding boundary, on each encoding path.
  for (const Format format : {Format::kRGBA8Srgb, Format::kR8Srgb}) {
    const PyramidOptions options = {.size = {512, 512}, .source = format, .target = format};
    const uint32_t channels = format_info(format).channels;
    PaddedImage source(options.source, options.size);
    for (uint32_t y = 0; y < 512; ++y) {
      auto* row = reinterpret_cast<uint8_t*>(source.view().row(y));
      for (uint32_t i = 0; i < channels * 512; ++i) {
        const uint32_t x = i / channels;
        row[i] = static_cast<uint8_t>(x % 2 == 0 ? y / 2 : x / 2);
      }
    }
    const Levels expected = build(options, source, 1);
    EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), expected.views, cpu_tolerance(options)));
    for (const size_t target : machine_targets()) {
      const OnlyTarget only(target);
      EXPECT_TRUE(build(options, source, 1).same_bytes(expected)) << name_of_target(target);
    }
  }
}

TEST(CpuPyramid, SameBitsForHardFloats) {
  // Values around every rounding decision of fp16: denormals, ties, overflow.
  PyramidOptions options = {.size = {512, 512}, .source = Format::kR32Sfloat, .target = Format::kR16Sfloat};
  Random random(3);
  PaddedImage source(options.source, options.size);
  for (uint32_t y = 0; y < 512; ++y) {
    auto* row = reinterpret_cast<float*>(source.view().row(y));
    for (uint32_t x = 0; x < 512; ++x) {
      const int exponent = static_cast<int>(random.below(46)) - 28;
      row[x] =
          std::ldexp(static_cast<float>(random.below(8192)), exponent - 12) * (random.below(2) == 0 ? 1.0F : -1.0F);
    }
  }
  for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
    options.reduction = reduction;
    const Levels expected = build(options, source, 1);
    EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), expected.views, Tolerance{}, describe(options)));
    for (const size_t target : machine_targets()) {
      const OnlyTarget only(target);
      EXPECT_TRUE(build(options, source, 1).same_bytes(expected)) << name_of_target(target);
    }
  }
}

TEST(CpuPyramid, NanSpreadsThroughMeansAndNeverCrashes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const FormatInfo& target_info : all_formats()) {
    for (PyramidOptions options : variants(Format::kRGBA32Sfloat, target_info.format, {45, 31})) {
      PaddedImage source(options.source, options.size);
      Random random(5);
      fill_random(source.view(), random);
      auto* texels = reinterpret_cast<float*>(source.view().row(10));
      texels[4 * 20] = nan;
      texels[4 * 30 + 1] = infinity;
      texels[4 * 30 + 2] = -infinity;
      const Levels levels = build(options, source, 2);
      const bool checks = options.reduction == Reduction::kMean && options.target == Format::kRGBA32Sfloat &&
                          options.normal_map == NormalMap::kOff;
      if (!checks) continue;
      const auto* last = reinterpret_cast<const float*>(levels.views.back().row(0));
      EXPECT_TRUE(std::isnan(last[0])) << describe(options);
      EXPECT_EQ(last[1], infinity) << describe(options);
      EXPECT_EQ(last[2], -infinity) << describe(options);
    }
  }
}

#if defined(__x86_64__) || defined(__i386__)
// Min and max of a NaN depend on the operand order of the instruction; on x86 all targets with such instructions must
// agree. clang's baseline, Highway's EMU128, computes in C++.
TEST(CpuPyramid, NanInMinAndMaxIsTheSameOnEverySimdTarget) {
  for (const Format format : {Format::kR32Sfloat, Format::kRGBA32Sfloat, Format::kRGBA16Sfloat}) {
    for (const PyramidOptions& options : variants(format, format, {301, 259})) {
      if (options.reduction == Reduction::kMean) continue;
      Random random(9);
      PaddedImage source(format, options.size);
      fill_random(source.view(), random);
      const float nan[4] = {std::numeric_limits<float>::quiet_NaN(), 0, std::numeric_limits<float>::quiet_NaN(), 0};
      for (int i = 0; i < 2000; ++i) {
        encode_row(format, nan, 1,
                   source.view().row(random.below(259)) + random.below(301) * format_info(format).bytes_per_texel);
      }
      const Levels expected = build(options, source, 1);
      // With kTight the operand order, and so the NaN results, depends on where bands of rows begin.
      const bool bands_alike = options.footprint != Footprint::kTight;
      EXPECT_TRUE(!bands_alike || build(options, source, 2).same_bytes(expected)) << describe(options);
      for (const size_t target : machine_targets()) {
#ifdef __clang__
        if (target + 1 == simd::kTargets) continue;
#endif
        const OnlyTarget only(target);
        EXPECT_TRUE(build(options, source, 1).same_bytes(expected)) << name_of_target(target) << describe(options);
      }
    }
  }
}
#endif

TEST(CpuPyramid, HalfSourcesWithSpecialValues) {
  PyramidOptions options = {
      .size = {512, 512}, .levels = 2, .source = Format::kR16Sfloat, .target = Format::kR16Sfloat};
  PaddedImage source(options.source, options.size);
  for (uint32_t y = 0; y < 512; ++y) {
    for (uint32_t x = 0; x < 512; ++x) {  // each of the 65536 halves fills a quad of 2x2 texels
      const auto bits = static_cast<uint16_t>(y / 2 * 256 + x / 2);
      std::memcpy(source.view().row(y) + size_t{2} * x, &bits, 2);
    }
  }
  const Levels expected = build(options, source, 1);
  EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), expected.views, Tolerance{}, describe(options)));
  for (const size_t target : machine_targets()) {
    const OnlyTarget only(target);
    EXPECT_TRUE(build(options, source, 1).same_bytes(expected)) << name_of_target(target);
  }
}

}  // namespace
}  // namespace onepass::testing
