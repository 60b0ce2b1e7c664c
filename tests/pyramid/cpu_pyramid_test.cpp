// cpu_pyramid_test.cpp: the CPU engine against the oracle at awkward sizes, and bugs known from other libraries.

#include <gtest/gtest.h>

#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/enumerators.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

constexpr auto kFootprints = all_enumerators<Footprint>();
constexpr Reduction kReductions[] = {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMinMax};

/// Builds a pyramid of random texels and compares all levels with the oracle.
::testing::AssertionResult build_matches(const PyramidOptions& options, uint32_t seed = 1) {
  Random random(seed);
  PaddedImage source(options.source, options.size, options.slices);
  fill_random(source.view(), random);
  Levels levels(options, 12, 20);
  auto pyramid = cpu::Pyramid::create(options);
  if (!pyramid) return ::testing::AssertionFailure() << describe(options) << ": " << pyramid.error().text();
  if (auto built = pyramid->build(source.view(), levels.views); !built) {
    return ::testing::AssertionFailure() << describe(options) << ": " << built.error().text();
  }
  if (levels.gaps_touched()) return ::testing::AssertionFailure() << describe(options) << ": wrote outside a level";
  const std::vector<OracleLevel> expected = oracle_pyramid(options, source.view());
  return matches(expected, levels.views, cpu_tolerance(options), describe(options));
}

PyramidOptions one_channel(Extent size, Reduction reduction, Footprint footprint) {
  const bool pair = reduction == Reduction::kMinMax;
  return {.size = size,
          .source = Format::kR32Sfloat,
          .target = pair ? Format::kRG32Sfloat : Format::kR32Sfloat,
          .reduction = reduction,
          .footprint = footprint};
}

TEST(CpuPyramid, MatchesTheOracleAtAwkwardSizes) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Extent size : awkward_sizes()) {
    const uint64_t texels = uint64_t{size.width} * size.height;
    std::vector<PyramidOptions> all;
    for (const Footprint footprint : kFootprints) {
      for (const Reduction reduction : kReductions) {
        if (footprint == Footprint::kTight && reduction == Reduction::kMean) continue;
        all.push_back(one_channel(size, reduction, footprint));
      }
    }
    while (!full_run() && all.size() > (texels > 5'000'000 ? 1 : texels > 1'000'000 ? 3 : all.size())) {  // a sample
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(random.below(static_cast<uint32_t>(all.size()))));
    }
    for (const PyramidOptions& options : all) EXPECT_TRUE(build_matches(options)) << "seed " << seed;
  }
}

TEST(CpuPyramid, MatchesTheOracleWithFourChannels) {
  for (const Extent size : awkward_sizes()) {
    if (uint64_t{size.width} * size.height > (full_run() ? 4'000'000 : 500'000)) continue;
    for (const Footprint footprint : kFootprints) {
      const Reduction reduction = footprint == Footprint::kTight ? Reduction::kMax : Reduction::kMean;
      PyramidOptions options = {.size = size, .reduction = reduction, .footprint = footprint};
      for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kRGBA32Sfloat}) {
        options.source = options.target = format;
        EXPECT_TRUE(build_matches(options));
      }
    }
  }
}

TEST(CpuPyramid, MatchesTheOracleAtRandomSizes) {
  const uint32_t seed = random_seed();
  RecordProperty("seed", static_cast<int>(seed));
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < (full_run() ? 2000 : 150); ++i) {
    const auto any_length = [&] { return 1 + random.below(1U << random.below(11)); };
    const Extent size = {any_length(), any_length()};
    const Footprint footprint = kFootprints[random.below(kFootprints.size())];
    const Reduction reduction = kReductions[footprint == Footprint::kTight ? 1 + random.below(3) : random.below(4)];
    PyramidOptions options = one_channel(size, reduction, footprint);
    options.slices = 1 + random.below(3);
    options.levels = 1 + random.below(full_level_count(size));
    EXPECT_TRUE(build_matches(options, random.word())) << "seed " << seed;
  }
}

// The error is promised relative to the mean of the absolute values: a bright texel whose weight is tiny must not bring
// in the rounding errors of the large weights of dark texels.
TEST(CpuPyramid, BrightTexelsWithTinyWeightsStayWithinTheBound) {
  for (const Extent size : {Extent{841, 1}, Extent{1, 841}, Extent{1023, 3}, Extent{5, 2047}, Extent{65, 33}}) {
    for (const Footprint footprint : {Footprint::kCovering, Footprint::kEdge, Footprint::kCeil}) {
      for (const uint32_t bright : {0U, 1U, 2U, 3U}) {  // of four neighbours
        const PyramidOptions options = one_channel(size, Reduction::kMean, footprint);
        PaddedImage source(options.source, size);
        Random random(bright);
        for (uint32_t y = 0; y < size.height; ++y) {
          auto* row = reinterpret_cast<float*>(source.view().row(y));
          for (uint32_t x = 0; x < size.width; ++x) {
            row[x] = (x + y) % 4 == bright ? random.between(1.0F, 2.0F) : random.between(0.0F, 1e-6F);
          }
        }
        Levels levels(options);
        ASSERT_TRUE(cpu::Pyramid::create(options)->build(source.view(), levels.views));
        EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, cpu_tolerance(options),
                            describe(options) + " bright " + std::to_string(bright)));
      }
    }
  }
}

TEST(CpuPyramid, ConstantImagesStayConstant) {
  for (const Extent size : {Extent{4095, 257}, Extent{1023, 1023}, Extent{1919, 1079}}) {
    for (const Footprint footprint : {Footprint::kAligned, Footprint::kCovering, Footprint::kEdge}) {
      const PyramidOptions options = one_channel(size, Reduction::kMean, footprint);
      PaddedImage source(options.source, size);
      for (uint32_t y = 0; y < size.height; ++y) {
        std::fill_n(reinterpret_cast<float*>(source.view().row(y)), size.width, 0.1F);
      }
      Levels levels(options);
      auto pyramid = cpu::Pyramid::create(options);
      ASSERT_TRUE(pyramid.ok());
      ASSERT_TRUE(pyramid->build(source.view(), levels.views).ok());
      EXPECT_TRUE(
          matches(oracle_pyramid(options, source.view()), levels.views, cpu_tolerance(options), describe(options)));
    }
  }
}

TEST(CpuPyramid, BiggestSizes) {
  if (!full_run()) GTEST_SKIP() << "set ONEPASS_FULL=1";
  EXPECT_TRUE(build_matches(one_channel({16384, 16384}, Reduction::kMin, Footprint::kCovering)));
  EXPECT_TRUE(build_matches(one_channel({8191, 8191}, Reduction::kMean, Footprint::kCovering)));
  EXPECT_TRUE(build_matches(one_channel({8191, 8191}, Reduction::kMax, Footprint::kTight)));
}

TEST(CpuPyramid, LongestAxes) {
  for (const Extent size : {Extent{65535, 1}, Extent{1, 65535}, Extent{65535, 3}, Extent{5, 65533}}) {
    EXPECT_TRUE(build_matches(one_channel(size, Reduction::kMean, Footprint::kCovering)));
    EXPECT_TRUE(build_matches(one_channel(size, Reduction::kMinMax, Footprint::kTight)));
    EXPECT_TRUE(build_matches(one_channel(size, Reduction::kMax, Footprint::kEdge)));
    PyramidOptions unorm8 = one_channel(size, Reduction::kMean, Footprint::kCovering);
    unorm8.source = unorm8.target = Format::kR8Unorm;
    EXPECT_TRUE(build_matches(unorm8));
  }
}

TEST(CpuPyramid, FewerLevelsThanTheFullChain) {
  for (uint32_t levels = 1; levels <= 8; ++levels) {
    PyramidOptions options = one_channel({201, 133}, Reduction::kMean, Footprint::kCovering);
    options.levels = levels;
    EXPECT_TRUE(build_matches(options));
    options = one_channel({201, 133}, Reduction::kMin, Footprint::kTight);
    options.levels = levels;
    EXPECT_TRUE(build_matches(options));
  }
}

// ---- Bugs known from other libraries

TEST(CpuPyramid, Wide128x32HasARightLastLevel) {
  for (const Footprint footprint : {Footprint::kAligned, Footprint::kCovering, Footprint::kEdge}) {
    PyramidOptions options = {
        .size = {128, 32}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm, .footprint = footprint};
    EXPECT_TRUE(build_matches(options));
  }
}

TEST(CpuPyramid, MoreThanSixSlices) {
  for (const uint32_t slices : {6U, 7U, 64U}) {
    PyramidOptions options = one_channel({65, 33}, Reduction::kMean, Footprint::kCovering);
    options.slices = slices;
    EXPECT_TRUE(build_matches(options));
  }
  PyramidOptions options = one_channel({9, 5}, Reduction::kMinMax, Footprint::kTight);
  options.slices = 2048;
  EXPECT_TRUE(build_matches(options));
}

TEST(CpuPyramid, WiderThan4096) {
  EXPECT_TRUE(build_matches(one_channel({8191, 129}, Reduction::kMean, Footprint::kCovering)));
  EXPECT_TRUE(build_matches(one_channel({131, 8193}, Reduction::kMin, Footprint::kCovering)));
  EXPECT_TRUE(build_matches(one_channel({16384, 33}, Reduction::kMax, Footprint::kTight)));
}

TEST(CpuPyramid, OddInOneAxisOnly) {
  for (const Extent size : {Extent{64, 63}, Extent{63, 64}, Extent{100, 77}, Extent{6, 7}, Extent{4096, 33}}) {
    for (const Footprint footprint : kFootprints) {
      const Reduction reduction = footprint == Footprint::kTight ? Reduction::kMin : Reduction::kMean;
      EXPECT_TRUE(build_matches(one_channel(size, reduction, footprint)));
    }
  }
}

TEST(CpuPyramid, CoveringMeanEndsInTheExactMeanOfTheImage) {
  // Some libraries drop the odd row and column: here all the light is in the last ones.
  const PyramidOptions options = one_channel({1919, 61}, Reduction::kMean, Footprint::kCovering);
  PaddedImage source(options.source, options.size);
  double sum = 0;
  for (uint32_t y = 0; y < options.size.height; ++y) {
    auto* row = reinterpret_cast<float*>(source.view().row(y));
    for (uint32_t x = 0; x < options.size.width; ++x) {
      row[x] = x >= 1900 || y == 60 ? 1.0F : 0.0F;
      sum += row[x];
    }
  }
  Levels levels(options);
  auto pyramid = cpu::Pyramid::create(options);
  ASSERT_TRUE(pyramid.ok());
  ASSERT_TRUE(pyramid->build(source.view(), levels.views).ok());
  const double mean = sum / (1919.0 * 61.0);
  const float actual = *reinterpret_cast<const float*>(levels.views.back().row(0));
  EXPECT_NEAR(actual, mean, 4 * mean * 0x1p-23);
}

}  // namespace
}  // namespace onepass::testing
