// cpu_pyramid_property_test.cpp: depth pyramids are conservative: the value of a coarse texel bounds all finer texels
// that overlap it in texture coordinates.

#include <gtest/gtest.h>

#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

/// Range of fine texels that overlap texel i of `coarse` in texture coordinates.
TexelRange overlap(uint32_t fine, uint32_t coarse, uint32_t i) {
  const uint64_t begin = uint64_t{i} * fine / coarse;
  const uint64_t end = (uint64_t{i + 1} * fine + coarse - 1) / coarse;
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

float value_at(const ImageView& level, uint32_t x, uint32_t y) {
  return reinterpret_cast<const float*>(level.row(y))[x];
}

/// Number of texels of `coarse` that overlap a larger value in `fine`.
size_t count_violations(const ImageView& coarse, const ImageView& fine) {
  size_t violations = 0;
  for (uint32_t y = 0; y < coarse.size.height; ++y) {
    const TexelRange rows = overlap(fine.size.height, coarse.size.height, y);
    for (uint32_t x = 0; x < coarse.size.width; ++x) {
      const TexelRange columns = overlap(fine.size.width, coarse.size.width, x);
      const float bound = value_at(coarse, x, y);
      bool broken = false;
      for (uint32_t fy = rows.begin; fy < rows.end; ++fy) {
        for (uint32_t fx = columns.begin; fx < columns.end; ++fx) broken = broken || value_at(fine, fx, fy) > bound;
      }
      violations += broken ? 1 : 0;
    }
  }
  return violations;
}

/// Violations in a max pyramid of random depths, against the base only or against every finer level.
size_t count_violations(Extent size, Footprint footprint, bool every_level, Random& random) {
  const PyramidOptions options = {.size = size,
                                  .source = Format::kR32Sfloat,
                                  .target = Format::kR32Sfloat,
                                  .reduction = Reduction::kMax,
                                  .footprint = footprint};
  PaddedImage source(options.source, size);
  fill_random(source.view(), random);
  Levels levels(options);
  auto pyramid = cpu::Pyramid::create(options);
  EXPECT_TRUE(pyramid->build(source.view(), levels.views).ok());
  std::vector<ImageView> all = {source.view()};
  all.insert(all.end(), levels.views.begin(), levels.views.end());
  size_t violations = 0;
  for (size_t n = 1; n < all.size(); ++n) {
    for (size_t m = 0; m < (every_level ? n : 1); ++m) violations += count_violations(all[n], all[m]);
  }
  return violations;
}

class Conservative : public ::testing::Test {
 protected:
  uint32_t seed = random_seed();
  Random random{seed};
  Extent random_size() { return {1 + random.below(260), 1 + random.below(260)}; }
  void SetUp() override { std::printf("seed %u\n", seed); }
};

TEST_F(Conservative, CoveringAgainstEveryFinerLevel) {
  for (int i = 0; i < (full_run() ? 500 : 60); ++i) {
    const Extent size = random_size();
    ASSERT_EQ(count_violations(size, Footprint::kCovering, true, random), 0U)
        << size.width << 'x' << size.height << " seed " << seed;
  }
}

TEST_F(Conservative, TightAgainstTheBase) {
  for (int i = 0; i < (full_run() ? 500 : 60); ++i) {
    const Extent size = random_size();
    ASSERT_EQ(count_violations(size, Footprint::kTight, false, random), 0U)
        << size.width << 'x' << size.height << " seed " << seed;
  }
}

TEST_F(Conservative, AlignedBreaksThePromiseAtOddSizes) {
  EXPECT_GT(count_violations({127, 127}, Footprint::kAligned, false, random), 100U);
  EXPECT_EQ(count_violations({128, 64}, Footprint::kAligned, true, random), 0U) << "but not at powers of two";
}

TEST_F(Conservative, TightIsNotConservativeBetweenLevels) {
  EXPECT_GT(count_violations({251, 241}, Footprint::kTight, true, random), 0U) << "which is what covering is for";
}

}  // namespace
}  // namespace onepass::testing
