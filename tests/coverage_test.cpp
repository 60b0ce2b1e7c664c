// coverage_test.cpp: the choice of the factor that keeps the share of passing texels.
#include "pyramid/coverage.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace onepass {
namespace {

/// A level of 64 texels whose alphas are spread evenly over `bins`.
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
  // Half of the base passes; in the level the upper half of the texels has alpha 0.25.
  EXPECT_EQ(Level().add(0, 32).add(256, 32).scale(0, 512, 0.5F), 2.0F);
}

TEST(Coverage, RaisesTheEdgeWhenTooManyPass) {
  // Any edge of 1/2 + 1/1024 up to 3/4 does; the one next to the threshold is taken.
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
