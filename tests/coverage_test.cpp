// coverage_test.cpp: choice of the alpha scale that keeps the share of texels passing the alpha test.
#include "pyramid/coverage.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace onepass {
namespace {

/// A level of 64 texels, given by the histogram of its alphas; the base has 1024 texels.
struct Level {
  std::unique_ptr<CoverageHistogram> bins = std::make_unique<CoverageHistogram>();
  Level& add(uint32_t bin, uint32_t texels) {
    (*bins)[bin] += texels;
    return *this;
  }
  [[nodiscard]] float scale(uint64_t passing, uint64_t base_passing, float threshold) const {
    return choose_alpha_scale({*bins, passing, 64, base_passing, 1024}, threshold);
  }
};

TEST(Coverage, LeavesALevelWithTheRightShareAlone) {
  EXPECT_EQ(Level().add(0, 32).add(1024, 32).scale(32, 512, 0.5F), 1.0F);
}

TEST(Coverage, LowersTheEdgeWhenTooFewPass) {
  // Half of the base passes. Half of the level has alpha 0.25, and none passes: the scale must be 2.
  EXPECT_EQ(Level().add(0, 32).add(256, 32).scale(0, 512, 0.5F), 2.0F);
}

TEST(Coverage, RaisesTheEdgeWhenTooManyPass) {
  // Edges from 513/1024 to 768/1024 let half of the level pass; the one closest to the threshold is chosen.
  const float scale = Level().add(512, 32).add(768, 32).scale(64, 512, 0.5F);
  EXPECT_EQ(scale, 0.5F / (513.0F / 1024.0F));
}

TEST(Coverage, PrefersUnscaledAmongEquals) {
  EXPECT_EQ(Level().add(600, 64).scale(64, 1024, 0.5F), 1.0F);
  EXPECT_EQ(Level().add(0, 64).scale(0, 0, 0.5F), 1.0F);
}

TEST(Coverage, DoesNotOverflowAtTheLargestSizes) {
  auto bins = std::make_unique<CoverageHistogram>();
  (*bins)[256] = 1U << 30;
  const uint64_t base = uint64_t{65535} * 65535;
  EXPECT_EQ(choose_alpha_scale({*bins, 0, uint64_t{1} << 30, base, base}, 0.5F), 2.0F);
}

}  // namespace
}  // namespace onepass
