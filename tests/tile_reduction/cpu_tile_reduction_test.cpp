// cpu_tile_reduction_test.cpp: the plan and the CPU version of tile reductions: every factor and reduction at sizes
// around whole tiles and every pair of formats against the oracle, the lookup rule, errors.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tbb/global_control.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/tile_reduction/tile_reduction_oracle.hpp"

namespace onepass::testing {
namespace {

constexpr uint32_t kFactors[] = {2, 4, 8, 16, 32, 64};
constexpr Reduction kReductions[] = {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMinMax};

TileReductionOptions one_channel(Extent size, Reduction reduction, uint32_t factor) {
  return {.size = size,
          .source = Format::kR32Sfloat,
          .target = reduction == Reduction::kMinMax ? Format::kRG32Sfloat : Format::kR32Sfloat,
          .reduction = reduction,
          .factor = factor};
}

PaddedImage reduce(const TileReductionOptions& options, const PaddedImage& source, uint32_t threads = 2) {
  PaddedImage target(options.target, oracle_tiles_size(options), options.slices, 12, 20);
  auto tiles = cpu::TileReduction::create(options, {.threads = threads});
  EXPECT_TRUE(tiles.ok()) << describe(options);
  auto done = tiles->reduce(source.view(), target.view());
  EXPECT_TRUE(done.ok()) << describe(options);
  EXPECT_FALSE(target.gaps_touched()) << describe(options);
  return target;
}

::testing::AssertionResult reduces_right(const TileReductionOptions& options, Random& random) {
  PaddedImage source(options.source, options.size, options.slices, 4, 8);
  fill_random(source.view(), random);
  const PaddedImage target = reduce(options, source);
  return tiles_match(options, source.view(), target.view(), cpu_tolerance(as_pyramid(options)), describe(options));
}

TEST(TileReductionPlan, CountsTilesAndBytes) {
  auto plan = plan_tile_reduction({.size = {1648, 1776},
                                   .slices = 2,
                                   .source = Format::kD32Sfloat,
                                   .target = Format::kR32Sfloat,
                                   .reduction = Reduction::kMax});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->size, (Extent{103, 111}));
  EXPECT_EQ(plan->bytes_read, uint64_t{1648} * 1776 * 4 * 2);
  EXPECT_EQ(plan->bytes_written, uint64_t{103} * 111 * 4 * 2);
  plan = plan_tile_reduction({.size = {65, 1}, .source = Format::kR8Unorm, .target = Format::kR8Unorm, .factor = 64});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->size, (Extent{2, 1}));
}

TEST(TileReductionPlan, SaysWhatIsWrong) {
  const TileReductionOptions good = one_channel({16, 16}, Reduction::kMin, 16);
  const auto message = [](const TileReductionOptions& options) {
    const auto plan = plan_tile_reduction(options);
    EXPECT_TRUE(plan || plan.error().code == ErrorCode::kInvalidArgument);
    return plan ? std::string("fine") : plan.error().message;
  };
  EXPECT_EQ(message(good), "fine");
  for (const uint32_t factor : {0U, 1U, 3U, 12U, 128U}) {
    TileReductionOptions bad = good;
    bad.factor = factor;
    EXPECT_EQ(message(bad), "factor: " + std::to_string(factor) + " is not one of 2, 4, 8, 16, 32 and 64");
  }
  TileReductionOptions bad = good;
  bad.size = {0, 5};
  EXPECT_EQ(message(bad), "size: 0x5 is not within 1x1 and 65535x65535");
  bad = good;
  bad.slices = 0;
  EXPECT_EQ(message(bad), "slices: 0, at least one is needed");
  bad = good;
  bad.target = Format::kRG32Sfloat;
  EXPECT_EQ(message(bad), "target: r32g32_sfloat has 2 channels, but source r32_sfloat has 1 channel");
  bad.reduction = Reduction::kMinMax;
  EXPECT_EQ(message(bad), "fine");
  bad.target = Format::kD32Sfloat;
  EXPECT_EQ(message(bad), "target: depth format d32_sfloat can only be a source");
}

TEST(CpuTileReduction, MatchesTheOracleAroundWholeTiles) {
  Random random(11);
  for (const uint32_t factor : kFactors) {
    for (const uint32_t width : {1U, 2U, factor - 1, factor, factor + 1, 3 * factor - 1, 3 * factor, 5 * factor + 3}) {
      for (const uint32_t height : {1U, factor - 1, factor, factor + 1, 2 * factor, 3 * factor + 2}) {
        for (const Reduction reduction : kReductions) {
          TileReductionOptions options = one_channel({width, height}, reduction, factor);
          options.slices = 1 + random.below(3);
          ASSERT_TRUE(reduces_right(options, random)) << describe(options);
        }
      }
    }
  }
}

TEST(CpuTileReduction, LongImagesAreCutIntoStrips) {
  Random random(12);
  for (const Extent size : {Extent{16385, 3}, Extent{8192, 9}, Extent{8257, 130}, Extent{3, 9000}}) {
    for (const uint32_t factor : {2U, 16U, 64U}) {
      ASSERT_TRUE(reduces_right(one_channel(size, Reduction::kMean, factor), random));
      ASSERT_TRUE(reduces_right(one_channel(size, Reduction::kMin, factor), random));
    }
  }
}

TEST(CpuTileReduction, EveryPairOfFormats) {
  Random random(13);
  uint32_t pairs = 0;
  for (const FormatInfo& source : all_formats()) {
    for (const FormatInfo& target : all_formats()) {
      for (const Reduction reduction : kReductions) {
        TileReductionOptions options = {
            .size = {37, 23}, .slices = 2, .source = source.format, .target = target.format, .reduction = reduction};
        if (!plan_tile_reduction(options)) continue;
        for (const uint32_t factor : {2U, 8U, 32U}) {
          options.factor = factor;
          ASSERT_TRUE(reduces_right(options, random)) << describe(options);
          ++pairs;
        }
      }
    }
  }
  EXPECT_GT(pairs, 300U);
}

TEST(CpuTileReduction, SameBitsOnEverySimdTargetAndThreadCount) {
  const tbb::global_control more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 7);
  Random random(14);
  for (const Format format :
       {Format::kR32Sfloat, Format::kRGBA8Srgb, Format::kR8Srgb, Format::kRGBA8Unorm, Format::kR16Sfloat}) {
    const TileReductionOptions options = {
        .size = {333, 150}, .source = format, .target = format, .reduction = Reduction::kMean, .factor = 8};
    PaddedImage source(format, options.size);
    fill_random(source.view(), random);
    const PaddedImage expected = reduce(options, source, 1);
    for (const uint32_t threads : {2U, 7U}) EXPECT_EQ(reduce(options, source, threads).bytes(), expected.bytes());
    for (const size_t target : machine_targets()) {
      const OnlyTarget only(target);
      EXPECT_EQ(reduce(options, source).bytes(), expected.bytes()) << name_of_target(target);
    }
  }
}

// Lookup rule: coarse texel (x / factor, y / factor) bounds texel (x, y).
TEST(CpuTileReduction, TexelDividedByFactorBoundsIt) {
  Random random(15);
  for (const uint32_t factor : kFactors) {
    const TileReductionOptions options = one_channel({147, 99}, Reduction::kMinMax, factor);
    PaddedImage source(options.source, options.size);
    fill_random(source.view(), random);
    const PaddedImage target = reduce(options, source);
    for (uint32_t y = 0; y < options.size.height; ++y) {
      const auto* texels = reinterpret_cast<const float*>(source.view().row(y));
      const auto* bounds = reinterpret_cast<const float*>(target.view().row(tile_of_texel(y, factor)));
      for (uint32_t x = 0; x < options.size.width; ++x) {
        ASSERT_LE(bounds[2 * tile_of_texel(x, factor)], texels[x]) << x << ", " << y << " factor " << factor;
        ASSERT_GE(bounds[2 * tile_of_texel(x, factor) + 1], texels[x]) << x << ", " << y << " factor " << factor;
      }
    }
    EXPECT_EQ(tile_of_texel(options.size.width - 1, factor), target.view().size.width - 1);
  }
}

TEST(CpuTileReduction, NanSpreadsThroughMeansAndNeverCrashes) {
  const float special[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  for (const Reduction reduction : kReductions) {
    const TileReductionOptions options = one_channel({37, 23}, reduction, 8);
    PaddedImage source(options.source, options.size);
    Random random(16);
    fill_random(source.view(), random);
    reinterpret_cast<float*>(source.view().row(3))[3] = special[0];
    reinterpret_cast<float*>(source.view().row(22))[36] = special[1];
    const PaddedImage target = reduce(options, source);
    if (reduction != Reduction::kMean) continue;
    EXPECT_TRUE(std::isnan(reinterpret_cast<const float*>(target.view().row(0))[0]));
    EXPECT_EQ(reinterpret_cast<const float*>(target.view().row(2))[4], special[1]);
  }
}

TEST(CpuTileReduction, ViewsAreChecked) {
  const TileReductionOptions options = one_channel({33, 17}, Reduction::kMax, 16);
  auto tiles = cpu::TileReduction::create(options);
  ASSERT_TRUE(tiles);
  PaddedImage source(options.source, options.size);
  PaddedImage target(options.target, {3, 2});
  PaddedImage small(options.target, {2, 2});
  PaddedImage wrong(Format::kR16Sfloat, {3, 2});
  EXPECT_TRUE(tiles->reduce(source.view(), target.view()));
  EXPECT_EQ(tiles->reduce(source.view(), small.view()).error().message, "target: size 2x2, expected 3x2");
  EXPECT_EQ(tiles->reduce(source.view(), wrong.view()).error().message,
            "target: format r16_sfloat, expected r32_sfloat");
  EXPECT_EQ(tiles->reduce(target.view(), target.view()).error().message, "source: size 3x2, expected 33x17");
  EXPECT_EQ(cpu::TileReduction::create(one_channel({3, 3}, Reduction::kMin, 24)).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace onepass::testing
