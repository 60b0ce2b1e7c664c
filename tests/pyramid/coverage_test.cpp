// coverage_test.cpp: choice of the alpha scale that keeps the share of stored alphas that pass the alpha test.
#include "pyramid/coverage.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace onepass {
namespace {

/// A level, given by its alphas; the base has 1024 texels. Alphas are stored as floats.
struct Level {
  std::vector<float> alphas;
  Level& add(float alpha, size_t texels) {
    alphas.insert(alphas.end(), texels, alpha);
    return *this;
  }
  [[nodiscard]] image::AlphaScale choose(uint64_t base_passing, float threshold = 0.5F) const {
    return choose_alpha_scale(alphas, {base_passing, 1024},
                              make_alpha_test(Format::kRGBA32Sfloat, Format::kRGBA32Sfloat, threshold));
  }
  [[nodiscard]] size_t passing(const image::AlphaScale& scale) const {
    size_t count = 0;
    for (const float alpha : alphas) count += alpha >= scale.cut ? 1U : 0U;
    return count;
  }
};

TEST(Coverage, LeavesALevelWithTheRightShareAlone) {
  const image::AlphaScale scale = Level().add(0, 32).add(1, 32).choose(512);
  EXPECT_EQ(scale.scale, 1.0F);
  EXPECT_EQ(scale.cut, 0.5F);
}

TEST(Coverage, RaisesAlphasWhenTooFewPass) {
  // Half of the base passes. Half of the level has alpha 0.25, and none passes: the scale must be 2.
  const image::AlphaScale scale = Level().add(0, 32).add(0.25F, 32).choose(512);
  EXPECT_EQ(scale.scale, 2.0F);
  EXPECT_EQ(scale.cut, 0.25F);
}

TEST(Coverage, LowersAlphasWhenTooManyPass) {
  const Level level = Level().add(0.6F, 32).add(0.75F, 32);
  const image::AlphaScale scale = level.choose(512);
  EXPECT_EQ(level.passing(scale), 32U);
  EXPECT_EQ(scale.cut, 0.75F);
  EXPECT_GE(0.75F * scale.scale, 0.5F);
  EXPECT_LT(0.75F * std::nextafter(scale.scale, 0.0F), 0.5F) << "not the least scale";
}

TEST(Coverage, TakesTheNearerNumber) {
  // 20 or 40 of 64 texels can pass.
  const Level level = Level().add(0.4F, 24).add(0.6F, 20).add(0.8F, 20);
  EXPECT_EQ(level.passing(level.choose(16 * 29)), 20U);
  EXPECT_EQ(level.passing(level.choose(16 * 31)), 40U);
  EXPECT_EQ(level.passing(level.choose(16 * 30)), 40U) << "of two equally near numbers the larger";
  EXPECT_EQ(level.passing(level.choose(16 * 9)), 0U);
  EXPECT_EQ(level.passing(level.choose(16 * 10)), 20U);
  EXPECT_EQ(level.passing(level.choose(1024)), 64U);
  EXPECT_EQ(level.passing(level.choose(0)), 0U);
}

TEST(Coverage, PrefersUnscaledAmongEquals) {
  EXPECT_EQ(Level().add(0.6F, 64).choose(1024).scale, 1.0F);
  EXPECT_EQ(Level().add(0, 64).choose(0).scale, 1.0F);
}

TEST(Coverage, TransparentTexelsNeverPass) {
  const Level level = Level().add(0, 63).add(0.001F, 1);
  const image::AlphaScale scale = level.choose(1024);
  EXPECT_EQ(level.passing(scale), 1U);
  EXPECT_TRUE(std::isfinite(scale.scale));
  EXPECT_EQ(Level().add(0, 64).choose(1024).scale, 1.0F);
}

TEST(Coverage, SeparatesNeighbouringFloats) {
  const float above = std::nextafter(0.3F, 1.0F);
  const Level level = Level().add(0.3F, 32).add(above, 32);
  EXPECT_EQ(level.passing(level.choose(512)), 32U);
  EXPECT_EQ(level.choose(512).cut, above);
}

TEST(Coverage, DoesNotOverflowAtTheLargestSizes) {
  const std::vector<float> alphas(size_t{1} << 20, 0.25F);
  const uint64_t base = uint64_t{65535} * 65535;
  const AlphaTest test = make_alpha_test(Format::kRGBA32Sfloat, Format::kRGBA32Sfloat, 0.5F);
  EXPECT_EQ(choose_alpha_scale(alphas, {base, base}, test).scale, 2.0F);
}

// 0.75 lies between 191/255 and 192/255. 0.2F is the float of 51/255, though the quotient itself is smaller.
TEST(Coverage, ThresholdsLieBetweenStoredAlphas) {
  const AlphaTest eight = make_alpha_test(Format::kRGBA8Srgb, Format::kRGBA8Srgb, 0.75F);
  EXPECT_EQ(eight.base_cut, 192.0F);
  EXPECT_EQ(eight.unscaled_cut, 191.25F);
  EXPECT_EQ(eight.unscaled_scale, 1.0F / 255);
  EXPECT_EQ(eight.least_passing, 192.0F / 255);
  EXPECT_EQ(eight.most_failing, 191.0F / 255);
  const AlphaTest fifth = make_alpha_test(Format::kBGRA8Unorm, Format::kRGBA16Unorm, 0.2F);
  EXPECT_EQ(fifth.base_cut, 51.0F);
  EXPECT_EQ(fifth.unscaled_cut, 51.0F);
  EXPECT_EQ(fifth.least_passing, 13107.0F / 65535);
  const AlphaTest packed = make_alpha_test(Format::kA2B10G10R10Unorm, Format::kA2B10G10R10Unorm, 0.95F);
  EXPECT_EQ(packed.base_cut, 3.0F);
  EXPECT_EQ(packed.most_failing, 2.0F / 3);
  const AlphaTest half = make_alpha_test(Format::kRGBA16Sfloat, Format::kRGBA16Sfloat, 0.1F);
  EXPECT_EQ(half.base_cut, 0.1F);
  EXPECT_EQ(half.least_passing, 1639.0F / 16384);  // 0.1 is between 1638/16384 and this half
  EXPECT_EQ(half.most_failing, 1638.0F / 16384);
  const AlphaTest whole = make_alpha_test(Format::kRGBA16Sfloat, Format::kRGBA32Sfloat, 1.0F);
  EXPECT_EQ(whole.least_passing, 1.0F);
  EXPECT_EQ(whole.most_failing, 1.0F - 0x1p-24F);
}

}  // namespace
}  // namespace onepass
