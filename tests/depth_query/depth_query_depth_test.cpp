// depth_query_depth_test.cpp: directed rounding to half floats, and conversion between depths and distances. Oracles:
// the values of all halves, and the formulas in double.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/depth_query/depth_query_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

namespace dq = depth_query;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The value of a half.
double half_value(uint32_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const uint32_t exponent = bits >> 10 & 31U;
  const uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * kInfinity;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
}

/// The smallest half above the half `bits`.
double next_half_up(uint32_t bits) {
  if (bits == 0x8000U) return half_value(1);
  return half_value((bits & 0x8000U) != 0 ? bits - 1 : bits + 1);
}
double next_half_down(uint32_t bits) {
  if (bits == 0) return half_value(0x8001U);
  return half_value((bits & 0x8000U) != 0 ? bits + 1 : bits - 1);
}

void expect_directed(float value) {
  const uint32_t up = dq::half_up(value);
  const uint32_t down = dq::half_down(value);
  ASSERT_GE(half_value(up), value);
  ASSERT_LE(half_value(down), value);
  // No half lies nearer in that direction: the next half towards `value` is already beyond it.
  if (half_value(up) > -kInfinity) {
    ASSERT_LT(next_half_down(up), value) << value;
  }
  if (half_value(down) < kInfinity) {
    ASSERT_GT(next_half_up(down), value) << value;
  }
  ASSERT_EQ(dq::half_farther(value, false), up);
  ASSERT_EQ(dq::half_farther(value, true), down);
  ASSERT_EQ(dq::half_nearer(value, false), down);
  ASSERT_EQ(dq::half_nearer(value, true), up);
}

TEST(DepthQueryHalf, EveryHalfIsItself) {
  for (uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto value = static_cast<float>(half_value(bits));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(half_value(dq::half_up(value))));
      ASSERT_TRUE(std::isnan(half_value(dq::half_down(value))));
      continue;
    }
    ASSERT_EQ(dq::half_up(value), bits);
    ASSERT_EQ(dq::half_down(value), bits);
  }
}

TEST(DepthQueryHalf, NextToEveryHalfRoundsInTheRightDirection) {
  for (uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const double half = half_value(bits);
    if (!std::isfinite(half)) continue;
    const auto value = static_cast<float>(half);
    ASSERT_NO_FATAL_FAILURE(expect_directed(std::nextafter(value, 1e30F)));
    ASSERT_NO_FATAL_FAILURE(expect_directed(std::nextafter(value, -1e30F)));
    const double next = next_half_up(bits);
    if (std::isfinite(next)) {
      ASSERT_NO_FATAL_FAILURE(expect_directed(static_cast<float>(0.5 * (half + next))));
    }
  }
}

TEST(DepthQueryHalf, AnyFloatRoundsInTheRightDirection) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < 2'000'000; ++i) {
    const auto value = std::bit_cast<float>(random.word());
    if (std::isnan(value)) continue;
    ASSERT_NO_FATAL_FAILURE(expect_directed(value)) << "seed " << seed;
    ASSERT_NO_FATAL_FAILURE(expect_directed(random.between(0.0F, 1.0F))) << "seed " << seed;
  }
}

TEST(DepthQueryHalf, ExtremesStayConservative) {
  EXPECT_EQ(dq::half_up(65505.0F), 0x7C00U);
  EXPECT_EQ(dq::half_down(65505.0F), 0x7BFFU);
  EXPECT_EQ(dq::half_down(1e30F), 0x7BFFU);
  EXPECT_EQ(dq::half_up(-1e30F), 0xFBFFU);
  EXPECT_EQ(dq::half_down(-1e30F), 0xFC00U);
  EXPECT_EQ(dq::half_up(1e-40F), 1U);
  EXPECT_EQ(dq::half_down(1e-40F), 0U);
  EXPECT_EQ(dq::half_down(-1e-40F), 0x8001U);
  EXPECT_EQ(dq::half_up(-0.0F), 0x8000U);
}

// ---- Distances

double ulps(double a, double b) {
  const double magnitude = std::max(std::fabs(a), std::fabs(b));
  return std::fabs(a - b) / std::ldexp(1.0, std::max(-126, std::ilogb(std::max(magnitude, 1e-38))) - 23);
}

TEST(DepthQueryDistance, IsThatOfTheDepth) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const auto& p = random_view(random, i % 4 == 0, i % 2 == 0).projection;
    const float depth = i % 8 < 4 ? random.between(0.0F, 1.0F) : 1.0F - std::ldexp(random.between(0.0F, 1.0F), -12);
    const double n = p.near_plane;
    const double f = p.far_plane;
    const double forward = p.reversed_z ? 1 - double{depth} : double{depth};
    double exact = 0;
    if (p.orthographic) {
      exact = n + (f - n) * forward;
    } else {
      exact = f > 0 ? n * f / (f - forward * (f - n)) : n / (1 - forward);
    }
    if (exact > 1e30) continue;
    worst = std::max(worst, ulps(dq::distance_of_depth(p, depth), exact));
  }
  EXPECT_LE(worst, 8.0);
}

TEST(DepthQueryDistance, DepthIsThatOfTheDistance) {
  Random random(5);
  for (int i = 0; i < 200000; ++i) {
    const auto& p = random_view(random, i % 4 == 0, i % 2 == 0).projection;
    const float most = p.far_plane > 0 ? p.far_plane : 1000.0F;
    const float distance = p.near_plane + (most - p.near_plane) * std::pow(random.between(0.0F, 1.0F), 3.0F);
    const double n = p.near_plane;
    const double f = p.far_plane;
    const double d = distance;
    double exact = 0;
    if (p.orthographic) {
      exact = (p.reversed_z ? f - d : d - n) / (f - n);
    } else {
      exact = p.reversed_z ? n / d : (d - n) / d;
      if (f > 0) exact *= (p.reversed_z ? f - d : f) / (f - n);
    }
    ASSERT_LE(ulps(dq::depth_of_distance(p, distance), exact), 4.0) << distance;
    ASSERT_NEAR(exact, on_screen(p, 0, 0, distance).depth, 1e-12);
  }
}

TEST(DepthQueryDistance, PlanesAreWhereTheyShouldBe) {
  const dq::Projection infinite{.near_plane = 0.1F};
  EXPECT_EQ(dq::distance_of_depth(infinite, 0.0F), 0.1F);
  EXPECT_EQ(dq::distance_of_depth(infinite, 1.0F), std::numeric_limits<float>::max());
  const dq::Projection reversed{.near_plane = 0.1F, .reversed_z = true};
  EXPECT_EQ(dq::distance_of_depth(reversed, 1.0F), 0.1F);
  EXPECT_EQ(dq::distance_of_depth(reversed, 0.0F), std::numeric_limits<float>::max());
  const dq::Projection finite{.near_plane = 0.1F, .far_plane = 10000.0F};
  EXPECT_LE(ulps(dq::distance_of_depth(finite, 1.0F), 10000.0), 2.0);  // the usual formula is off by 0.5 %
  EXPECT_EQ(dq::depth_of_distance(finite, 0.1F), 0.0F);
  EXPECT_EQ(dq::depth_of_distance(finite, 10000.0F), 1.0F);
}

}  // namespace
}  // namespace onepass::testing
