// depth_query_occlusion_test.cpp: occlusion queries. Oracle: all base texels, one by one. No visible object is ever
// reported as hidden, and most hidden objects are.
#include <cmath>
#include <functional>
#include <limits>

#include "tests/depth_query/depth_query_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

namespace dq = depth_query;
using dq::Bounds;
using dq::CoordinateRect;
using dq::Float2;
using dq::Float3;
using dq::Texel;
using dq::TexelRect;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// A random seed, printed so that a run can be repeated.
uint32_t new_seed() {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  return seed;
}

/// The share of truly hidden objects that queries have found.
struct Share {
  uint32_t hidden = 0;
  uint32_t found = 0;
  void add(bool is_hidden, bool is_found) {
    hidden += is_hidden ? 1 : 0;
    found += is_hidden && is_found ? 1 : 0;
  }
  [[nodiscard]] double value() const { return static_cast<double>(found) / hidden; }
};

void for_each_scene(uint32_t seed, const std::function<void(const DepthScene&, Random&)>& test) {
  for (const Footprint footprint : kQueryFootprints) {
    for (const bool reversed : {false, true}) {
      for (const Extent size : query_sizes()) {
        Random random(seed++);
        test(DepthScene(size, footprint, reversed, seed), random);
      }
    }
  }
}

TEST(DepthQueryOcclusion, RectanglesAreNeverHiddenWhereATexelIsVisible) {
  const uint32_t seed = new_seed();
  Share share;
  for_each_scene(seed, [&](const DepthScene& scene, Random& random) {
    const Extent size = scene.size();
    for (int i = 0; i < 1500; ++i) {
      const CoordinateRect rect = random_rect(random, size);
      const TexelRange x = touched_texels(rect.begin.x, rect.end.x, size.width);
      const TexelRange y = touched_texels(rect.begin.y, rect.end.y, size.height);
      const float depth = random.between(0.0F, 1.0F);
      const bool reported = dq::rect_occluded(scene.pyramid(), scene.load_farthest(), rect, depth);
      if (x.begin >= x.end || y.begin >= y.end) continue;
      const float farthest = scene.extreme(x.begin, x.end, y.begin, y.end, true);
      const float nearest = scene.extreme(x.begin, x.end, y.begin, y.end, false);
      const bool hidden = scene.nearer(farthest, depth);
      ASSERT_TRUE(hidden || !reported) << scene.describe() << " seed " << seed;
      ASSERT_FALSE(scene.nearer(dq::rect_farthest(scene.pyramid(), scene.load_farthest(), rect), farthest));
      ASSERT_FALSE(scene.nearer(nearest, dq::rect_nearest(scene.pyramid(), scene.load_nearest(), rect)));
      share.add(hidden, reported);
    }
  });
  std::printf("%u hidden, %.1f %% found\n", share.hidden, 100 * share.value());
  EXPECT_GE(share.hidden, 10000U);
  EXPECT_GE(share.value(), 0.70);  // 75 to 79 % in 40 runs, standard deviation 0.7 %
}

TEST(DepthQueryOcclusion, MostHiddenRectanglesOfALargeImageAreFound) {
  const uint32_t seed = new_seed();
  for (const Footprint footprint : kQueryFootprints) {
    Random random(seed);
    const DepthScene scene({1919, 1079}, footprint, false, 20);
    Share share;
    for (int i = 0; i < 1500; ++i) {
      const float x = random.between(0, 0.95F);
      const float y = random.between(0, 0.95F);
      const CoordinateRect rect{{x, y}, {x + random.between(0.001F, 0.05F), y + random.between(0.001F, 0.05F)}};
      const TexelRange columns = touched_texels(rect.begin.x, rect.end.x, 1919);
      const TexelRange rows = touched_texels(rect.begin.y, rect.end.y, 1079);
      const float depth = random.between(0.2F, 1.0F);
      const bool hidden = scene.extreme(columns.begin, columns.end, rows.begin, rows.end, true) < depth;
      const bool reported = dq::rect_occluded(scene.pyramid(), scene.load_farthest(), rect, depth);
      ASSERT_TRUE(hidden || !reported) << scene.describe() << " seed " << seed;
      share.add(hidden, reported);
    }
    std::printf("%s: %u hidden, %.1f %% found\n", scene.describe().c_str(), share.hidden, 100 * share.value());
    EXPECT_GE(share.hidden, 300U);
    EXPECT_GE(share.value(), 0.58);  // 70 to 82 % in 40 runs, standard deviation 2.1 %; tight finds most
  }
}

TEST(DepthQueryOcclusion, RectanglesOfOneCellAreExact) {
  // A rectangle of one cell loads that cell alone, so the result is that of all its texels.
  for_each_scene(3, [](const DepthScene& scene, Random&) {
    const Extent size = scene.size();
    for (uint32_t level = 0; level <= scene.pyramid().last_level; ++level) {
      const Extent count = {std::max(1U, size.width >> level), std::max(1U, size.height >> level)};
      const Texel cell{count.width / 2, count.height / 3};
      const TexelRect texels{
          {cell.x << level, cell.y << level},
          {std::min(size.width, (cell.x + 1) << level), std::min(size.height, (cell.y + 1) << level)}};
      if (scene.pyramid().footprint == Footprint::kTight || size.width >> level << level != size.width ||
          size.height >> level << level != size.height) {
        continue;
      }
      ASSERT_EQ(dq::texels_farthest(scene.pyramid(), scene.load_farthest(), texels),
                scene.extreme(texels.begin.x, texels.end.x, texels.begin.y, texels.end.y, true))
          << scene.describe() << " level " << level;
    }
  });
}

TEST(DepthQueryOcclusion, AlignedHidesWhatIsVisibleAtOddSizes) {
  // Queries on aligned pyramids are right at sizes that halve exactly, and wrong at 63 x 63.
  const auto wrong = [](Extent size) {
    uint32_t count = 0;
    for (uint32_t seed = 1; seed <= 30; ++seed) {
      const DepthScene scene(size, Footprint::kAligned, false, seed);
      Random random(seed);
      for (int i = 0; i < 3000; ++i) {
        const CoordinateRect rect = random_rect(random, size);
        const TexelRange x = touched_texels(rect.begin.x, rect.end.x, size.width);
        const TexelRange y = touched_texels(rect.begin.y, rect.end.y, size.height);
        const float depth = random.between(0.0F, 1.0F);
        if (x.begin >= x.end || y.begin >= y.end) continue;
        const bool hidden = scene.extreme(x.begin, x.end, y.begin, y.end, true) < depth;
        count += !hidden && dq::rect_occluded(scene.pyramid(), scene.load_farthest(), rect, depth) ? 1 : 0;
      }
    }
    return count;
  };
  EXPECT_EQ(wrong({64, 64}), 0U);
  EXPECT_GE(wrong({63, 63}), 20U);
  // Smallest case: only the last of 7 columns is open, and no cell of level 1 represents it.
  dq::DepthPyramid pyramid = dq::full_depth_pyramid({7, 2}, Footprint::kAligned, false);
  pyramid.first_level = 1;
  const auto aligned = [](uint32_t, Texel) { return 0.5F; };  // max of columns 0 to 5, all at 0.5; column 6 is at 1
  EXPECT_TRUE(dq::rect_occluded(pyramid, aligned, {{0.9F, 0.1F}, {0.95F, 0.4F}}, 0.8F));
  pyramid.footprint = Footprint::kCovering;
  const auto covering = [](uint32_t, Texel cell) { return cell.x == 2 ? 1.0F : 0.5F; };
  EXPECT_FALSE(dq::rect_occluded(pyramid, covering, {{0.9F, 0.1F}, {0.95F, 0.4F}}, 0.8F));
}

TEST(DepthQueryOcclusion, UnsureIsVisible) {
  for (const bool reversed : {false, true}) {
    const DepthScene scene({37, 21}, Footprint::kCovering, reversed, 1);
    const auto load = scene.load_farthest();
    const float behind_all = reversed ? -1.0F : 2.0F;
    EXPECT_TRUE(dq::rect_occluded(scene.pyramid(), load, {{0, 0}, {1, 1}}, behind_all));
    EXPECT_TRUE(dq::rect_occluded(scene.pyramid(), load, {{-9, -9}, {9, 9}}, behind_all));
    EXPECT_TRUE(dq::rect_occluded(scene.pyramid(), load, {{kNan, 0}, {1, 1}}, behind_all));  // the whole width: hidden
    EXPECT_FALSE(dq::rect_occluded(scene.pyramid(), load, {{0, 0}, {1, 1}}, kNan));
    EXPECT_FALSE(dq::rect_occluded(scene.pyramid(), load, {{1.1F, 0}, {2, 1}}, behind_all));     // outside
    EXPECT_FALSE(dq::rect_occluded(scene.pyramid(), load, {{0.6F, 0}, {0.4F, 1}}, behind_all));  // end before begin
    dq::DepthPyramid short_chain = scene.pyramid();
    short_chain.last_level = 2;  // 9 x 5 cells: four do not cover the image
    EXPECT_FALSE(dq::rect_occluded(short_chain, load, {{0, 0}, {1, 1}}, behind_all));
    EXPECT_TRUE(dq::rect_occluded(short_chain, load, {{0.1F, 0.1F}, {0.2F, 0.2F}}, behind_all));
    EXPECT_EQ(dq::rect_nearest(short_chain, scene.load_nearest(), {{0, 0}, {1, 1}}), dq::unknown_nearest(reversed));
    EXPECT_FALSE(dq::is_nearer(kNan, 0.5F, reversed));
    EXPECT_FALSE(dq::is_nearer(0.5F, kNan, reversed));
  }
}

TEST(DepthQueryOcclusion, EqualDepthIsVisible) {
  const DepthScene scene({16, 16}, Footprint::kCovering, false, 1);
  const float farthest = scene.extreme(0, 16, 0, 16, true);
  EXPECT_FALSE(dq::rect_occluded(scene.pyramid(), scene.load_farthest(), {{0, 0}, {1, 1}}, farthest));
  EXPECT_TRUE(
      dq::rect_occluded(scene.pyramid(), scene.load_farthest(), {{0, 0}, {1, 1}}, std::nextafter(farthest, 2.0F)));
}

TEST(DepthQueryOcclusion, ChainsThatBeginAtLevelOneHold) {
  const uint32_t seed = new_seed();
  for_each_scene(seed, [&](const DepthScene& scene, Random& random) {
    const Extent size = scene.size();
    dq::DepthPyramid pyramid = scene.pyramid();
    if (pyramid.last_level == 0) return;
    pyramid.first_level = 1;
    const auto load = [&](uint32_t level, Texel cell) {
      EXPECT_GE(level, 1U);
      return scene.farthest(level, cell);
    };
    for (int i = 0; i < 200; ++i) {
      const CoordinateRect rect = random_rect(random, size);
      const TexelRange x = touched_texels(rect.begin.x, rect.end.x, size.width);
      const TexelRange y = touched_texels(rect.begin.y, rect.end.y, size.height);
      if (x.begin >= x.end || y.begin >= y.end) continue;
      ASSERT_FALSE(
          scene.nearer(dq::rect_farthest(pyramid, load, rect), scene.extreme(x.begin, x.end, y.begin, y.end, true)));
    }
  });
}

// ---- Reduction samplers

/// Model of a reduction sampler: the farthest (or nearest) of the texels that a linear filter weights. Coordinates are
/// rounded to `bits` sub-texel bits, up or down at random; texels of weight zero count or not, also at random.
class ReductionSampler {
 public:
  ReductionSampler(const DepthScene& scene, bool farthest, uint32_t bits, Random& random)
      : scene_(scene), farthest_(farthest), bits_(bits), random_(random) {}

  float operator()(uint32_t level, Float2 at) const {
    const Extent count = {std::max(1U, scene_.size().width >> level), std::max(1U, scene_.size().height >> level)};
    float result = 0;
    bool first = true;
    for (const uint32_t y : taken(at.y, count.height)) {
      for (const uint32_t x : taken(at.x, count.width)) {
        const float value = farthest_ ? scene_.farthest(level, {x, y}) : scene_.nearest(level, {x, y});
        if (first || (farthest_ ? scene_.nearer(result, value) : scene_.nearer(value, result))) result = value;
        first = false;
      }
    }
    return result;
  }

 private:
  [[nodiscard]] std::vector<uint32_t> taken(float at, uint32_t count) const {
    const double steps = std::ldexp(1.0, static_cast<int>(bits_));
    const double exact = (double{at} * count - 0.5) * steps;
    const double rounded = (random_.below(2) == 0 ? std::floor(exact) : std::ceil(exact)) / steps;
    const double low = std::floor(rounded);
    const double weight = rounded - low;
    const auto clamped = [&](double i) {
      return static_cast<uint32_t>(std::min(std::max(i, 0.0), static_cast<double>(count - 1)));
    };
    std::vector<uint32_t> texels = {clamped(low)};
    if (weight > 0 || random_.below(2) == 0) texels.push_back(clamped(low + 1));
    return texels;
  }

  const DepthScene& scene_;
  bool farthest_;
  uint32_t bits_;
  Random& random_;
};

TEST(DepthQueryOcclusion, AnyReductionSamplerIsAsCarefulAsFourLoads) {
  const uint32_t seed = new_seed();
  uint32_t queries = 0;
  uint32_t same = 0;
  for_each_scene(seed, [&](const DepthScene& scene, Random& random) {
    for (int i = 0; i < 300; ++i) {
      const TexelRect texels = dq::rect_texels(scene.size(), random_rect(random, scene.size()));
      const uint32_t bits = random.below(2) == 0 ? 4 : 8;
      const float loaded = dq::texels_farthest(scene.pyramid(), scene.load_farthest(), texels);
      const float sampled =
          dq::texels_farthest_sampled(scene.pyramid(), ReductionSampler(scene, true, bits, random), texels);
      ASSERT_FALSE(scene.nearer(sampled, loaded)) << scene.describe() << " seed " << seed;
      ASSERT_FALSE(scene.nearer(
          dq::texels_nearest(scene.pyramid(), scene.load_nearest(), texels),
          dq::texels_nearest_sampled(scene.pyramid(), ReductionSampler(scene, false, bits, random), texels)));
      ++queries;
      same += sampled == loaded ? 1 : 0;
    }
  });
  std::printf("%u queries, %u the same\n", queries, same);
  EXPECT_GE(same, queries / 2);
}

// ---- Objects

/// Is the nearest point of the object behind all texels of its exact rectangle?
bool truly_hidden(const DepthScene& scene, const Seen& seen) {
  const TexelRange x = touched_texels(static_cast<float>(seen.x0), static_cast<float>(seen.x1), scene.size().width);
  const TexelRange y = touched_texels(static_cast<float>(seen.y0), static_cast<float>(seen.y1), scene.size().height);
  return seen.inside && x.begin < x.end && y.begin < y.end &&
         scene.nearer(scene.extreme(x.begin, x.end, y.begin, y.end, true), seen.nearest);
}

void expect_bounded(const Bounds& bounds, const Seen& seen, const DepthScene& scene, double slack) {
  ASSERT_TRUE(seen.inside);
  ASSERT_LE(bounds.rect.begin.x, seen.x0);
  ASSERT_LE(bounds.rect.begin.y, seen.y0);
  ASSERT_GE(bounds.rect.end.x, seen.x1);
  ASSERT_GE(bounds.rect.end.y, seen.y1);
  ASSERT_FALSE(scene.nearer(seen.nearest, bounds.nearest)) << seen.nearest << " " << bounds.nearest;
  // The bounds are also tight.
  const double wide = 1 + std::fabs(seen.x0) + std::fabs(seen.x1) + std::fabs(seen.y0) + std::fabs(seen.y1);
  ASSERT_GE(bounds.rect.begin.x, seen.x0 - slack * wide);
  ASSERT_GE(bounds.rect.begin.y, seen.y0 - slack * wide);
  ASSERT_LE(bounds.rect.end.x, seen.x1 + slack * wide);
  ASSERT_LE(bounds.rect.end.y, seen.y1 + slack * wide);
  ASSERT_NEAR(bounds.nearest, seen.nearest, slack * (1 + std::fabs(seen.nearest)));
}

TEST(DepthQueryOcclusion, BoxesAreNeverHiddenWhereAPointOfThemIsVisible) {
  const uint32_t seed = new_seed();
  Share share;
  uint32_t unknown = 0;
  for_each_scene(seed, [&](const DepthScene& scene, Random& random) {
    const bool reversed = scene.pyramid().reversed_z;
    for (int i = 0; i < 150; ++i) {
      View view = random_view(random, i % 3 == 0, reversed);
      Object object = random_object(random, view);
      if (i % 2 == 0) object = in_rotated_world(random, object, view.clip_of_view);
      std::vector<ScreenPoint> points;
      for (const Point& p : box_surface(object)) {
        points.push_back(on_screen(view.clip_of_view, reversed, p.x, p.y, p.z));
      }
      const Seen seen = look(scene, points);
      const Bounds bounds = dq::project_box(view.clip_of_view, object.low, object.high, reversed);
      const bool reported =
          dq::box_occluded(scene.pyramid(), scene.load_farthest(), view.clip_of_view, object.low, object.high);
      if (bounds.known) {
        ASSERT_NO_FATAL_FAILURE(expect_bounded(bounds, seen, scene, i % 2 == 0 ? 1e-2 : 1e-4)) << "seed " << seed;
      }
      ASSERT_FALSE(reported && (seen.visible || !seen.inside)) << scene.describe() << " seed " << seed;
      unknown += bounds.known ? 0 : 1;
      share.add(truly_hidden(scene, seen), reported);
    }
  });
  std::printf("%u hidden, %.1f %% found, %u unknown\n", share.hidden, 100 * share.value(), unknown);
  EXPECT_GE(share.hidden, 1500U);
  EXPECT_GE(share.value(), 0.55);  // 66 to 73 % in 40 runs, standard deviation 1.7 %
  EXPECT_GE(unknown, 50U);
}

TEST(DepthQueryOcclusion, BoundsHoldWhereAddingAHalfTakesBits) {
  dq::Float4x4 identity;
  for (size_t i = 0; i < 4; ++i) identity.columns[i][i] = 1;
  const dq::Projection flat{.near_plane = 0.0F, .far_plane = 1.0F, .orthographic = true};
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const float x = std::ldexp(random.between(-1, 1), -static_cast<int>(random.below(20)));
    const float y = x + std::ldexp(random.between(0, 1), -static_cast<int>(random.below(20)));
    const Bounds box = dq::project_box(identity, {x, x, 0.5F}, {y, y, 0.75F}, false);
    ASSERT_TRUE(box.known);
    ASSERT_LE(box.rect.begin.x, 0.5 * x + 0.5) << x;
    ASSERT_GE(box.rect.end.y, 0.5 * y + 0.5) << y;
    const float radius = 0.25F * (y - x);
    const Bounds sphere = dq::project_sphere(flat, {x, y, 0.5F}, radius);
    ASSERT_LE(sphere.rect.begin.x, 0.5 * (double{x} - radius) + 0.5) << x;
    ASSERT_GE(sphere.rect.end.y, 0.5 * (double{y} + radius) + 0.5) << y;
  }
}

TEST(DepthQueryOcclusion, SpheresAreNeverHiddenWhereAPointOfThemIsVisible) {
  const uint32_t seed = new_seed();
  Share share;
  uint32_t unknown = 0;
  for_each_scene(seed, [&](const DepthScene& scene, Random& random) {
    const bool reversed = scene.pyramid().reversed_z;
    for (int i = 0; i < 100; ++i) {
      const View view = random_view(random, i % 3 == 0, reversed);
      const Object object = random_object(random, view);
      std::vector<ScreenPoint> points;
      for (const Point& p : sphere_surface(object)) points.push_back(on_screen(view.projection, p.x, p.y, p.z));
      const Seen seen = look(scene, points);
      const Bounds bounds = dq::project_sphere(view.projection, object.center, object.radius);
      const bool reported =
          dq::sphere_occluded(scene.pyramid(), scene.load_farthest(), view.projection, object.center, object.radius);
      if (bounds.known) {
        ASSERT_NO_FATAL_FAILURE(expect_bounded(bounds, seen, scene, 2e-3)) << "seed " << seed;
      }
      ASSERT_FALSE(reported && (seen.visible || !seen.inside)) << scene.describe() << " seed " << seed;
      unknown += bounds.known ? 0 : 1;
      share.add(truly_hidden(scene, seen), reported);
    }
  });
  std::printf("%u hidden, %.1f %% found, %u unknown\n", share.hidden, 100 * share.value(), unknown);
  EXPECT_GE(share.hidden, 1000U);
  EXPECT_GE(share.value(), 0.55);  // 65 to 71 % in 40 runs, standard deviation 1.6 %
  EXPECT_GE(unknown, 50U);
}

TEST(DepthQueryOcclusion, WhatCrossesTheNearPlaneIsVisible) {
  Random random(11);
  for (const bool reversed : {false, true}) {
    // This pyramid hides every object that has known bounds on the screen.
    const dq::DepthPyramid pyramid = dq::full_depth_pyramid({64, 64}, Footprint::kCovering, reversed);
    const auto wall = [&](uint32_t, Texel) { return reversed ? 2.0F : -1.0F; };
    for (int i = 0; i < 300; ++i) {
      const View view = random_view(random, i % 3 == 0, reversed);
      const float near = view.projection.near_plane;
      const auto box = [&](float z0, float z1) {
        return dq::box_occluded(pyramid, wall, view.clip_of_view, {-0.01F, -0.01F, z0}, {0.01F, 0.01F, z1});
      };
      const auto sphere = [&](float z, float radius) {
        return dq::sphere_occluded(pyramid, wall, view.projection, {0, 0, z}, radius);
      };
      EXPECT_TRUE(box(near * 1.1F, near * 2));
      EXPECT_FALSE(box(near * 0.9F, near * 2));
      EXPECT_FALSE(box(-near, near * 2));
      EXPECT_FALSE(box(-near * 2, -near));  // behind the camera
      EXPECT_TRUE(sphere(near * 2, near * 0.9F));
      EXPECT_FALSE(sphere(near * 2, near));  // touches the near plane
      EXPECT_FALSE(sphere(near * 2, near * 3));
      EXPECT_FALSE(sphere(-near * 2, near * 0.5F));
      EXPECT_FALSE(box(near * 1.1F, kNan));
      EXPECT_FALSE(sphere(near * 2, kNan));
      EXPECT_FALSE(box(near * 1.1F, std::numeric_limits<float>::infinity()));
    }
  }
}

// ---- Particles

TEST(DepthQueryOcclusion, CertainlyVisibleIsVisible) {
  const uint32_t seed = new_seed();
  uint32_t visible = 0;
  uint32_t found = 0;
  for_each_scene(seed, [&](const DepthScene& scene, Random& random) {
    for (int i = 0; i < 2000; ++i) {
      const Texel texel{random.below(scene.size().width), random.below(scene.size().height)};
      const uint32_t level = random.below(scene.pyramid().last_level + 3);  // up to two levels beyond the last
      const float depth = random.between(0.0F, 1.0F);
      const bool certain = dq::certainly_visible(scene.pyramid(), scene.load_nearest(), level, texel, depth);
      const bool truth = scene.nearer(depth, scene.base(texel.x, texel.y));
      ASSERT_TRUE(truth || !certain) << scene.describe() << " seed " << seed;
      visible += truth ? 1 : 0;
      found += certain ? 1 : 0;
    }
    EXPECT_FALSE(dq::certainly_visible(scene.pyramid(), scene.load_nearest(), 0, {0, 0}, kNan));
  });
  std::printf("%u visible, %u found\n", visible, found);
  EXPECT_GE(found, visible / 2);
}

TEST(DepthQueryOcclusion, TilesSayWhatIsCertainlyVisible) {
  const DepthScene scene({100, 37}, Footprint::kCovering, true, 3);
  constexpr uint32_t kFactor = 12;
  const auto tile = [&](Texel at) {
    return scene.extreme(at.x * kFactor, std::min(100U, (at.x + 1) * kFactor), at.y * kFactor,
                         std::min(37U, (at.y + 1) * kFactor), false);
  };
  Random random(3);
  uint32_t found = 0;
  for (uint32_t y = 0; y < 37; ++y) {
    for (uint32_t x = 0; x < 100; ++x) {
      const float depth = random.between(0.0F, 1.0F);
      const bool certain = dq::tile_certainly_visible(tile, {x, y}, kFactor, depth, true);
      ASSERT_TRUE(!certain || depth > scene.base(x, y));
      ASSERT_EQ(certain, depth > tile({x / kFactor, y / kFactor}));
      found += certain ? 1 : 0;
    }
  }
  EXPECT_GE(found, 500U);
}

}  // namespace
}  // namespace onepass::testing
