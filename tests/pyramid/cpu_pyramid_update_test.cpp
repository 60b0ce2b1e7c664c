// cpu_pyramid_update_test.cpp: updates of a rectangle equal a full build; invalid calls are rejected.
#include <cstring>

#include <gtest/gtest.h>

#include "tests/cpu/simd_targets.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/enumerators.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

constexpr auto kFootprints = all_enumerators<Footprint>();

/// Texels inside `rect` must equal `expected`, all others `before`.
::testing::AssertionResult changed_only_within(const PaddedImage& actual, const PaddedImage& expected,
                                               const PaddedImage& before, Rect rect, uint32_t level) {
  const ImageView view = actual.view();
  const size_t texel_bytes = format_info(view.format).bytes_per_texel;
  for (uint32_t slice = 0; slice < view.slices; ++slice) {
    for (uint32_t y = 0; y < view.size.height; ++y) {
      for (uint32_t x = 0; x < view.size.width; ++x) {
        const bool inside = x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
        const PaddedImage& right = inside ? expected : before;
        const size_t offset = x * texel_bytes;
        if (std::memcmp(view.row(y, slice) + offset, right.view().row(y, slice) + offset, texel_bytes) != 0) {
          return ::testing::AssertionFailure() << "level " << level << " slice " << slice << " (" << x << ", " << y
                                               << ") " << (inside ? "is not what a build gives" : "was written");
        }
      }
    }
  }
  return actual.gaps_touched() ? ::testing::AssertionFailure() << "wrote between rows" : ::testing::AssertionSuccess();
}

/// Builds, changes a rectangle and updates; compares with a build from scratch. With `built` false no build precedes.
void check_update(const PyramidOptions& options, Rect changed, bool built, uint32_t threads, Random& random) {
  SCOPED_TRACE(describe(options) + " changed " + std::to_string(changed.width) + "x" + std::to_string(changed.height) +
               " at " + std::to_string(changed.x) + "," + std::to_string(changed.y) +
               (built ? "" : " without a build"));
  const SevenThreads allow;
  PaddedImage source(options.source, options.size, options.slices, 8, 24);
  fill_random(source.view(), random);
  auto pyramid = cpu::Pyramid::create(options, {.threads = threads});
  ASSERT_TRUE(pyramid.ok());
  Levels before(options, 8, 16);
  Levels actual(options, 8, 16);
  if (built) {
    ASSERT_TRUE(pyramid->build(source.view(), before.views).ok());
  }
  // The update writes into new levels filled with poison: texels outside the affected rectangle must keep it.
  const Levels poison(options, 8, 16);
  fill_random(source.view(), changed, random);
  ASSERT_TRUE(pyramid->update(source.view(), actual.views, changed).ok());
  Levels expected(options, 8, 16);
  auto fresh = cpu::Pyramid::create(options, {.threads = 1});
  ASSERT_TRUE(fresh->build(source.view(), expected.views).ok());
  for (uint32_t n = 1; n < pyramid->plan().levels; ++n) {
    const Rect rect = affected_rect(options, n, changed);
    EXPECT_TRUE(changed_only_within(actual.images[n - 1], expected.images[n - 1], poison.images[n - 1], rect, n));
    // The build from scratch changes no texel outside the affected rectangle either.
    if (built) {
      EXPECT_TRUE(changed_only_within(expected.images[n - 1], expected.images[n - 1], before.images[n - 1], rect, n));
    }
  }
}

Rect random_rect(Extent size, Random& random) {
  Rect rect;
  rect.x = random.below(size.width);
  rect.y = random.below(size.height);
  rect.width = 1 + random.below(std::min(size.width - rect.x, 1U << random.below(8)));
  rect.height = 1 + random.below(std::min(size.height - rect.y, 1U << random.below(8)));
  return rect;
}

TEST(CpuPyramidUpdate, EqualsARebuildAndWritesNothingElse) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < (full_run() ? 3000 : 300); ++i) {
    const Extent size = {1 + random.below(300), 1 + random.below(300)};
    PyramidOptions options = {
        .size = size, .slices = 1 + random.below(2), .footprint = kFootprints[random.below(kFootprints.size())]};
    options.reduction = options.footprint == Footprint::kTight ? Reduction::kMax : Reduction::kMean;
    options.source = options.target =
        std::array{Format::kR32Sfloat, Format::kRGBA8Unorm, Format::kRGBA16Unorm}[random.below(3)];
    if (options.target == Format::kRGBA8Unorm && options.reduction == Reduction::kMean && random.below(2) == 0) {
      options.alpha = Alpha::kWeighted;
    }
    check_update(options, random_rect(size, random), random.below(3) != 0, 1 + random.below(7), random);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(CpuPyramidUpdate, ReachesTheBottomRightCorner) {
  Random random(1);
  for (const Footprint footprint : kFootprints) {
    const Reduction reduction = footprint == Footprint::kTight ? Reduction::kMin : Reduction::kMean;
    const PyramidOptions options = {.size = {1023, 517},
                                    .source = Format::kR32Sfloat,
                                    .target = Format::kR32Sfloat,
                                    .reduction = reduction,
                                    .footprint = footprint};
    check_update(options, {1022, 516, 1, 1}, true, 7, random);
    check_update(options, {0, 0, 1, 1}, true, 7, random);
    check_update(options, {500, 511, 40, 6}, true, 7, random);
    check_update(options, {0, 0, 1023, 517}, true, 7, random);
  }
}

TEST(CpuPyramidUpdate, LeavesNoStaleCoarseLevels) {
  // Several updates by one object: coarse levels must follow each of them.
  for (const Footprint footprint : kFootprints) {
    PyramidOptions options = {.size = {333, 222},
                              .source = Format::kR32Sfloat,
                              .target = Format::kR32Sfloat,
                              .reduction = Reduction::kMax,
                              .footprint = footprint};
    Random random(2);
    PaddedImage source(options.source, options.size);
    fill_random(source.view(), random);
    auto pyramid = cpu::Pyramid::create(options);
    Levels levels(options);
    ASSERT_TRUE(pyramid->build(source.view(), levels.views).ok());
    for (int i = 0; i < 30; ++i) {
      const Rect changed = random_rect(options.size, random);
      fill_random(source.view(), changed, random);
      ASSERT_TRUE(pyramid->update(source.view(), levels.views, changed).ok());
    }
    EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, Tolerance::exact(), describe(options)));
  }
}

TEST(CpuPyramidUpdate, CoverageRebuildsEverything) {
  PyramidOptions options = {
      .size = {64, 48}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm, .alpha = Alpha::kCoverage};
  Random random(4);
  PaddedImage source(options.source, options.size);
  fill_random(source.view(), random);
  auto pyramid = cpu::Pyramid::create(options);
  Levels built(options);
  Levels updated(options);
  ASSERT_TRUE(pyramid->build(source.view(), built.views).ok());
  ASSERT_TRUE(pyramid->update(source.view(), updated.views, {3, 3, 1, 1}).ok());
  EXPECT_TRUE(updated.same_bytes(built));
}

// ---- Invalid calls

class CpuPyramidMisuse : public ::testing::Test {
 protected:
  PyramidOptions options{.size = {16, 8}, .slices = 2, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm};
  PaddedImage source{options.source, options.size, 2};
  Levels levels{options};
  Result<cpu::Pyramid> pyramid = cpu::Pyramid::create(options);

  void expect_refused(const ImageView& view, const std::string& word) {
    const auto built = pyramid->build(view, levels.views);
    ASSERT_FALSE(built.ok());
    EXPECT_EQ(built.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(built.error().text().find(word), std::string::npos) << built.error().text();
    for (const PaddedImage& image : levels.images) {
      for (const std::byte byte : image.bytes()) ASSERT_EQ(byte, PaddedImage::kPoison) << "nothing is written";
    }
  }
};

TEST_F(CpuPyramidMisuse, SourceOfAnotherShape) {
  ImageView view = source.view();
  view.data = nullptr;
  expect_refused(view, "source");
  view = source.view();
  view.format = Format::kRGBA8Srgb;
  expect_refused(view, "format");
  view = source.view();
  view.size.width = 15;
  expect_refused(view, "15x8");
  view = source.view();
  view.slices = 1;
  expect_refused(view, "slices");
  view = source.view();
  view.row_stride = 60;
  expect_refused(view, "row_stride");
  view = source.view();
  view.slice_stride = 100;
  expect_refused(view, "slice_stride");
}

TEST_F(CpuPyramidMisuse, LevelsOfAnotherShape) {
  levels.views[2].size = {3, 1};
  expect_refused(source.view(), "level 3");
  levels.views[2].size = {2, 1};
  levels.views[1].format = Format::kRGBA16Unorm;
  expect_refused(source.view(), "level 2");
  levels.views.pop_back();
  expect_refused(source.view(), "levels");
}

TEST_F(CpuPyramidMisuse, RectanglesOutsideTheBase) {
  for (const Rect rect : {Rect{0, 0, 0, 1}, Rect{0, 0, 1, 0}, Rect{16, 0, 1, 1}, Rect{15, 0, 2, 1}, Rect{0, 7, 1, 2},
                          Rect{1, 1, 0xFFFFFFFF, 1}}) {
    const auto updated = pyramid->update(source.view(), levels.views, rect);
    ASSERT_FALSE(updated.ok());
    EXPECT_EQ(updated.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(CpuPyramid, OneLevelNeedsNoViews) {
  const PyramidOptions options = {
      .size = {16, 8}, .levels = 1, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm};
  auto pyramid = cpu::Pyramid::create(options);
  ASSERT_TRUE(pyramid.ok());
  const PaddedImage source(options.source, options.size);
  EXPECT_TRUE(pyramid->build(source.view(), {}).ok());
}

TEST(CpuPyramid, CreatePassesOnErrorsOfThePlan) {
  EXPECT_FALSE(cpu::Pyramid::create({.size = {0, 8}, .source = Format::kR8Unorm, .target = Format::kR8Unorm}).ok());
  EXPECT_FALSE(cpu::Pyramid::create({.size = {8, 8}, .source = Format::kR8Unorm, .target = Format::kD16Unorm}).ok());
}

}  // namespace
}  // namespace onepass::testing
