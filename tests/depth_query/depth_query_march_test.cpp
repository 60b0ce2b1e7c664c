// depth_query_march_test.cpp: hits of ray marches through pyramids. Oracles: a march on the base alone (bit for bit),
// and a walk from texel to texel in double.
#include <algorithm>
#include <cmath>

#include "tests/depth_query/depth_query_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

namespace dq = depth_query;
using dq::Float3;
using dq::Ray;
using dq::RayState;

constexpr uint32_t kManySteps = 100000;

/// A ray. Random ones have multiples of 2^-10, so that the library's products with sizes below 4096 are exact.
struct TestRay {
  Float3 from;
  Float3 to;
};

TestRay random_ray(Random& random) {
  const auto coordinate = [&](float low, float high) {
    return std::floor(random.between(low, high) * 1024.0F) / 1024.0F;
  };
  TestRay ray;
  ray.from = {coordinate(0, 1), coordinate(0, 1), coordinate(0, 1)};
  ray.to = {coordinate(-0.3F, 1.3F), coordinate(-0.3F, 1.3F), coordinate(0, 1)};
  const uint32_t special = random.below(12);
  if (special == 0) ray.to.x = ray.from.x;
  if (special == 1) ray.to.y = ray.from.y;
  if (special == 2) ray.to.z = ray.from.z;
  if (special == 3) ray.to.x = ray.from.x + (random.below(2) == 0 ? 0x1p-10F : -0x1p-10F);
  return ray;
}

TEST(DepthQueryMarch, HitsTheTexelThatTheBaseAloneWouldGive) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  uint32_t rays = 0;
  uint32_t hits = 0;
  uint64_t steps = 0;
  uint64_t base_steps = 0;
  const auto sizes = query_sizes();
  for (const Footprint footprint : kQueryFootprints) {
    for (const bool reversed : {false, true}) {
      for (const Extent size : sizes) {
        Random random(seed + rays);
        const DepthScene scene(size, footprint, reversed, seed + rays + 1);
        dq::DepthPyramid base = scene.pyramid();
        base.last_level = 0;
        const auto counted = [&](uint64_t& counter) {
          return [&](uint32_t level, dq::Texel cell) { return ++counter, scene.nearest(level, cell); };
        };
        for (int i = 0; i < 1050; ++i, ++rays) {
          // Half of the rays have any float values or pass through corners, half have multiples of 2^-10.
          TestRay ray = random_ray(random);
          if (i % 2 == 0) {
            ray.from = {random.between(0, 1), random.between(0, 1), random.between(0, 1)};
            ray.to = {random.between(-0.3F, 1.3F), random.between(-0.3F, 1.3F), random.between(0, 1)};
          }
          if (i % 4 == 2) {  // through a corner of texels, as exactly as floats allow
            const float x = static_cast<float>(random.below(size.width + 1)) / static_cast<float>(size.width);
            const float y = static_cast<float>(random.below(size.height + 1)) / static_cast<float>(size.height);
            const float on = random.between(1.0F, 3.0F);
            ray.to = {ray.from.x + on * (x - ray.from.x), ray.from.y + on * (y - ray.from.y), ray.to.z};
          }
          // Most rays start in front of all depths.
          if (i % 8 != 0) ray.from.z = reversed ? 0.9F : 0.1F;
          const Ray expected = dq::march(base, counted(base_steps), ray.from, ray.to, kManySteps);
          const Ray actual = dq::march(scene.pyramid(), counted(steps), ray.from, ray.to, kManySteps);
          ASSERT_NE(actual.state, RayState::kMarching);
          ASSERT_EQ(actual.state, expected.state) << scene.describe() << " ray " << i << " seed " << seed;
          if (expected.state != RayState::kHit) continue;
          ++hits;
          ASSERT_EQ(actual.texel, expected.texel) << scene.describe() << " ray " << i << " seed " << seed;
          ASSERT_EQ(actual.t, expected.t) << scene.describe() << " ray " << i << " seed " << seed;
        }
      }
    }
  }
  std::printf("%u rays, %u hits, %.1f loads a ray, %.1f on the base alone\n", rays, hits,
              static_cast<double>(steps) / rays, static_cast<double>(base_steps) / rays);
  EXPECT_GE(rays, 100000U);
  EXPECT_GE(hits, rays / 4);  // 35 to 40 % in 40 runs, standard deviation 0.9 %
  EXPECT_LE(hits, rays - rays / 10);
  EXPECT_LT(steps, base_steps);
}

/// The first texel whose depth the ray passes behind, in double. `doubtful`: the ray passes so close to a corner or to
/// a depth that rounding decides.
struct Expected {
  bool hit = false;
  bool doubtful = false;
  dq::Texel texel;
};

Expected walk(const DepthScene& scene, const TestRay& ray) {
  const double size[2] = {static_cast<double>(scene.size().width), static_cast<double>(scene.size().height)};
  const double o[2] = {ray.from.x * size[0], ray.from.y * size[1]};
  const double d[2] = {ray.to.x * size[0] - o[0], ray.to.y * size[1] - o[1]};
  const double oz = ray.from.z;
  const double dz = double{ray.to.z} - oz;
  struct Crossing {
    double t;
    int axis;
  };
  std::vector<Crossing> crossings;
  for (int axis = 0; axis < 2; ++axis) {
    for (int wall = 0; wall <= static_cast<int>(size[axis]) && d[axis] != 0; ++wall) {
      const double t = (wall - o[axis]) / d[axis];
      // A ray that starts on a texel boundary, in the negative direction, leaves its first texel at once.
      if (t > 0 || (t == 0 && d[axis] < 0)) crossings.push_back({t, axis});
    }
  }
  const bool ends_on_wall =
      std::any_of(crossings.begin(), crossings.end(), [](const Crossing& c) { return std::fabs(c.t - 1) < 1e-6; });
  crossings.push_back({1.0, 2});
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) { return a.t < b.t; });
  Expected expected;
  int at[2] = {static_cast<int>(o[0]), static_cast<int>(o[1])};
  double t = 0;
  for (const Crossing& crossing : crossings) {
    if (crossing.t - t < 1e-6) expected.doubtful = true;  // also a corner of the image border
    if (at[0] < 0 || at[1] < 0 || at[0] >= size[0] || at[1] >= size[1]) return expected;
    const double depth = scene.base(static_cast<uint32_t>(at[0]), static_cast<uint32_t>(at[1]));
    const double here = oz + dz * t;
    const double there = oz + dz * std::min(crossing.t, 1.0);
    const double gap = std::min(std::fabs(here - depth), std::fabs(there - depth));
    if (gap < 1e-6) expected.doubtful = true;
    if (!scene.nearer(here, depth) || !scene.nearer(there, depth)) {
      expected.hit = true;
      expected.texel = {static_cast<uint32_t>(at[0]), static_cast<uint32_t>(at[1])};
      return expected;
    }
    if (crossing.t > 1 - 1e-6 && ends_on_wall) expected.doubtful = true;  // it may touch the texel beyond
    if (crossing.t >= 1) return expected;
    t = crossing.t;
    at[crossing.axis] += d[crossing.axis] > 0 ? 1 : -1;
  }
  return expected;
}

TEST(DepthQueryMarch, HitsTheFirstTexelOnTheExactRay) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  uint32_t rays = 0;
  uint32_t hits = 0;
  uint32_t doubtful = 0;
  for (const Footprint footprint : kQueryFootprints) {
    for (const bool reversed : {false, true}) {
      for (const Extent size : query_sizes()) {
        Random random(seed + rays);
        const DepthScene scene(size, footprint, reversed, seed + rays + 1);
        for (int i = 0; i < 100; ++i, ++rays) {
          TestRay ray = random_ray(random);
          if (i % 8 != 0) ray.from.z = reversed ? 0.875F : 0.125F;
          const Expected expected = walk(scene, ray);
          const Ray actual = dq::march(scene.pyramid(), scene.load_nearest(), ray.from, ray.to, kManySteps);
          if (expected.doubtful) {
            ++doubtful;
            continue;
          }
          hits += expected.hit ? 1 : 0;
          ASSERT_EQ(actual.state == RayState::kHit, expected.hit)
              << scene.describe() << " ray " << i << " seed " << seed;
          if (expected.hit) {
            ASSERT_EQ(actual.texel, expected.texel) << scene.describe() << " ray " << i;
          }
        }
      }
    }
  }
  std::printf("%u rays, %u hits, %u doubtful\n", rays, hits, doubtful);
  EXPECT_GE(hits, rays / 4);
  EXPECT_LE(doubtful, rays / 10);
}

TEST(DepthQueryMarch, LoadsFewCellsOfALargeImage) {
  // Empty scene of 1919 x 1079 texels: a ray across it loads tens of cells, not two thousand texels.
  for (const Footprint footprint : kQueryFootprints) {
    const dq::DepthPyramid pyramid = dq::full_depth_pyramid({1919, 1079}, footprint, false);
    uint32_t loads = 0;
    const auto empty = [&](uint32_t, dq::Texel) { return ++loads, 1.0F; };
    const Ray ray = dq::march(pyramid, empty, {0.001F, 0.003F, 0.2F}, {0.999F, 0.9F, 0.3F}, 1000);
    EXPECT_EQ(ray.state, RayState::kMissed);
    EXPECT_LE(loads, 40U);
  }
}

TEST(DepthQueryMarch, EndsWhereItShould) {
  const DepthScene scene({37, 21}, Footprint::kCovering, false, 1);
  const auto march = [&](Float3 from, Float3 to, uint32_t steps) {
    return dq::march(scene.pyramid(), scene.load_nearest(), from, to, steps);
  };
  EXPECT_EQ(march({-0.1F, 0.5F, 0.1F}, {0.5F, 0.5F, 0.1F}, 100).state, RayState::kMissed);  // starts outside
  EXPECT_EQ(march({0.5F, 1.0F, 0.1F}, {0.5F, 0.5F, 0.1F}, 100).state, RayState::kMissed);
  EXPECT_EQ(march({0.5F, NAN, 0.1F}, {0.5F, 0.5F, 0.1F}, 100).state, RayState::kMissed);
  const Ray still = march({0.5F, 0.5F, 0.0F}, {0.5F, 0.5F, 0.0F}, 100);  // zero length, in front of everything
  EXPECT_EQ(still.state, RayState::kMissed);
  const Ray through = march({0.5F, 0.5F, 0.0F}, {0.5F, 0.5F, 2.0F}, 100);  // perpendicular to the screen
  EXPECT_EQ(through.state, RayState::kHit);
  EXPECT_EQ(through.texel, (dq::Texel{18, 10}));
  EXPECT_NEAR(dq::ray_point(scene.pyramid(), through).z, scene.base(18, 10), 1e-6);
  const Ray behind = march({0.5F, 0.5F, 1.5F}, {0.9F, 0.5F, 1.5F}, 100);  // starts behind everything
  EXPECT_EQ(behind.state, RayState::kHit);
  EXPECT_EQ(behind.t, 0.0F);
  const Ray tired = march({0.01F, 0.5F, 0.0F}, {0.99F, 0.5F, 0.0F}, 2);
  EXPECT_EQ(tired.state, RayState::kMarching);
  EXPECT_LT(tired.t, 0.2F);
}

}  // namespace
}  // namespace onepass::testing
