// vulkan_reflection_test.cpp: reflections on the device under test against a hall that is traced in double. Tolerances
// are what screen-space reflections can know: rays that pass a silhouette within a texel may go either way.
#include <cmath>
#include <cstdio>

#include "tests/reflection/reflection_rig.hpp"

namespace onepass::testing {
namespace {

class VulkanReflection : public VulkanTest {};

constexpr Vec kGrey{0.5, 0.5, 0.5};
constexpr std::array<float, 3> kGreyFallback{0.5F, 0.5F, 0.5F};

double error_of(const std::array<float, 4>& light, Vec expected) {
  return std::max(
      {std::fabs(light[0] - expected.x), std::fabs(light[1] - expected.y), std::fabs(light[2] - expected.z)});
}

// ---- Mirrors: every texel by itself

struct Mirrored {
  uint32_t certain = 0, wrong = 0;            // texels whose answer the screen has
  uint32_t unanswerable = 0, false_hits = 0;  // texels whose answer it has not
  double squares = 0;                         // of the errors that are not wrong
  double distance_error = 0;                  // the largest, relative, of the same texels
};

Mirrored compare_mirrors(const Scene& scene, const Camera& camera, const Frame& frame, const Reflected& reflected) {
  Mirrored m;
  for (uint32_t y = 0; y < frame.size.height; ++y) {
    for (uint32_t x = 0; x < frame.size.width; ++x) {
      const size_t i = size_t{y} * frame.size.width + x;
      if (frame.shapes[i] < 0 || frame.normals[i][3] > 0.05F) continue;
      const Expected expected = expect_reflection(scene, camera, frame, x, y, 1, 0.05, {});
      const auto& light = reflected.light[i];
      if (expected.confidence == 0) {
        ++m.unanswerable;
        m.false_hits += light[3] > 0 ? 1 : 0;
      }
      if (!expected.certain) continue;
      ++m.certain;
      const double error = error_of(light, expected.radiance);
      if (light[3] < 1 || error > 0.05) {
        ++m.wrong;
        continue;
      }
      m.squares += error * error;
      m.distance_error =
          std::max(m.distance_error, std::fabs(reflected.distance[i] - expected.distance) / expected.distance);
    }
  }
  return m;
}

TEST_F(VulkanReflection, MirrorsShowWhatTheScreenHas) {
  const Extent size{200, 120};
  for (const Projection projection : kProjections) {
    const Camera& camera = usual_camera(projection);
    const Scene scene = hall(0, 0);
    const Frame frame = render(scene, camera, size);
    ReflectionRig rig(rig_options(size, camera));
    const auto views = views_of({camera}, {camera});
    const Mirrored m = compare_mirrors(scene, camera, frame, rig.run({frame}, {.views = views, .reset = true}));
    std::printf("%u of %u wrong, %u of %u without an answer hit, rmse %.4f, distance %.4f\n", m.wrong, m.certain,
                m.false_hits, m.unanswerable, std::sqrt(m.squares / m.certain), m.distance_error);
    EXPECT_GT(m.certain, 6500U);
    EXPECT_LT(m.wrong, 0.01 * m.certain);
    EXPECT_GT(m.unanswerable, 500U);
    EXPECT_LT(m.false_hits, 0.2 * m.unanswerable);
    EXPECT_LT(std::sqrt(m.squares / m.certain), 0.005);
    EXPECT_LT(m.distance_error, 0.1);
  }
}

// ---- Rough surfaces: the whole image against 1024 rays

struct Truth {
  std::vector<Expected> texels;
  std::vector<bool> counts;

  Truth(const Scene& scene, const Camera& camera, const Frame& frame, uint32_t rays) {
    for (uint32_t y = 0; y < frame.size.height; ++y) {
      for (uint32_t x = 0; x < frame.size.width; ++x) {
        const size_t i = size_t{y} * frame.size.width + x;
        counts.push_back(frame.shapes[i] >= 0 && frame.normals[i][3] <= 0.6F);
        texels.push_back(counts.back() ? expect_reflection(scene, camera, frame, x, y, rays, 0.05, kGrey) : Expected{});
      }
    }
  }
  [[nodiscard]] double rmse(const Reflected& reflected) const {
    double squares = 0, count = 0;
    for (size_t i = 0; i < texels.size(); ++i) {
      if (!counts[i]) continue;
      const double error = error_of(reflected.light[i], texels[i].radiance);
      squares += error * error;
      ++count;
    }
    return std::sqrt(squares / count);
  }
};

/// Frames of a scene that does not move.
Reflected run_still(const ReflectionOptions& options, const Camera& camera, const Frame& frame, uint32_t frames) {
  ReflectionRig rig(options);
  const auto views = views_of({camera}, {camera});
  Reflected reflected;
  for (uint32_t n = 0; n < frames; ++n)
    reflected = rig.run({frame}, {.views = views, .index = n, .reset = n == 0, .fallback = kGreyFallback});
  return reflected;
}

struct RoughCase {
  double roughness;
  ReflectionRays rays;
  double one_frame, filtered, settled;  // least upper bounds that hold, with a tenth more
};

TEST_F(VulkanReflection, RoughSurfacesComeNearManyRays) {
  const Extent size{96, 64};
  const Camera& camera = usual_camera(Projection::kReversedInfinite);
  using enum ReflectionRays;
  constexpr RoughCase kCases[] = {{0.15, kQuarter, 0, 0.245, 0.119}, {0.15, kOne, 0.25, 0.215, 0.107},
                                  {0.15, kTwo, 0.19, 0.17, 0.107},   {0.15, kFour, 0.133, 0.13, 0.107},
                                  {0.5, kQuarter, 0, 0.15, 0.062},   {0.5, kOne, 0.46, 0.095, 0.051},
                                  {0.5, kTwo, 0.315, 0.077, 0.05},   {0.5, kFour, 0.205, 0.061, 0.048}};
  double last_roughness = 0;
  std::unique_ptr<Truth> truth;
  Frame frame;
  for (const RoughCase& c : kCases) {
    if (c.roughness != last_roughness) {
      const Scene scene = hall(c.roughness, c.roughness);
      frame = render(scene, camera, size);
      truth = std::make_unique<Truth>(scene, camera, frame, 1024);
      last_roughness = c.roughness;
    }
    ReflectionOptions options = rig_options(size, camera);
    options.rays = c.rays;
    const double filtered = truth->rmse(run_still(options, camera, frame, 1));
    const double settled = truth->rmse(run_still(options, camera, frame, 24));
    options.history_frames = 1;
    options.filter_passes = 0;
    const double one_frame = truth->rmse(run_still(options, camera, frame, 1));
    std::printf("roughness %.2f, rays %d: one frame %.4f, filtered %.4f, 24 frames %.4f\n", c.roughness,
                static_cast<int>(c.rays), one_frame, filtered, settled);
    if (c.one_frame > 0) {
      EXPECT_LT(one_frame, c.one_frame);
    }
    EXPECT_LT(filtered, c.filtered);
    EXPECT_LT(settled, c.settled);
    EXPECT_LT(settled, filtered);
  }
}

// At half resolution texels between those with rays have the light of their neighbours.
TEST_F(VulkanReflection, HalfResolutionComesNearManyRays) {
  const Extent size{97, 63};
  const Camera& camera = usual_camera(Projection::kReversedInfinite);
  using enum ReflectionRays;
  constexpr RoughCase kCases[] = {{0.15, kQuarter, 0, 0.288, 0.167},
                                  {0.15, kOne, 0, 0.195, 0.132},
                                  {0.5, kQuarter, 0, 0.186, 0.083},
                                  {0.5, kOne, 0, 0.117, 0.058}};
  for (const RoughCase& c : kCases) {
    const Scene scene = hall(c.roughness, c.roughness);
    const Frame frame = render(scene, camera, size);
    const Truth truth(scene, camera, frame, 1024);
    ReflectionOptions options = rig_options(size, camera);
    options.resolution = ReflectionResolution::kHalf;
    options.rays = c.rays;
    const double filtered = truth.rmse(run_still(options, camera, frame, 1));
    const double settled = truth.rmse(run_still(options, camera, frame, 24));
    std::printf("half resolution, roughness %.2f, rays %d: filtered %.4f, 24 frames %.4f\n", c.roughness,
                static_cast<int>(c.rays), filtered, settled);
    EXPECT_LT(filtered, c.filtered);
    EXPECT_LT(settled, c.settled);
  }
}

// Texels without a ray of their own take light of their neighbours, on a curved glossy surface with tiny weights.
TEST_F(VulkanReflection, CurvedSurfacesAreAsBrightWithFewRays) {
  for (const Extent size : {Extent{96, 64}, Extent{288, 192}}) {
    const Camera& camera = usual_camera(Projection::kReversedInfinite);
    const Frame frame = render(hall(1, 0.1), camera, size);
    ReflectionOptions options = rig_options(size, camera);
    const auto mean_of_sphere = [&](ReflectionRays rays, uint32_t frames) {
      options.rays = rays;
      const Reflected reflected = run_still(options, camera, frame, frames);
      double sum = 0, count = 0;
      for (size_t i = 0; i < frame.shapes.size(); ++i) {
        if (frame.shapes[i] != 7) continue;
        sum += reflected.light[i][0] + reflected.light[i][1] + reflected.light[i][2];
        ++count;
      }
      return sum / count;
    };
    const double expected = mean_of_sphere(ReflectionRays::kFour, 1);
    for (const uint32_t frames : {1U, 2U}) {
      const double mean = mean_of_sphere(ReflectionRays::kQuarter, frames);
      std::printf("%u frames: %.4f, %.4f with four rays\n", frames, mean, expected);
      EXPECT_NEAR(mean, expected, 0.1 * expected);
    }
  }
}

// ---- Motion

/// A camera that moves sideways, by up to some texels a frame.
Camera moving_camera(uint32_t frame) {
  return {{0.2 + 0.02 * frame, 1.3, 4.2}, {0.01 * frame, 0.9, 0}, 1.5, Projection::kReversedInfinite};
}

struct Moved {
  double with_history = 0, without = 0;
};

// Twelve frames of a scene that `scene_at` moves, seen by `camera_at`; errors of the last.
template <typename SceneAt, typename CameraAt>
Moved run_moving(ReflectionOptions options, const SceneAt& scene_at, const CameraAt& camera_at) {
  constexpr uint32_t kFrames = 12;
  options.filter_passes = 0;  // the history alone
  ReflectionRig rig(options);
  Moved moved;
  for (uint32_t n = 0; n <= kFrames; ++n) {
    const uint32_t before = n == 0 ? 0 : n - 1;
    const Camera camera = camera_at(n), last_camera = camera_at(before);
    const Scene scene = scene_at(n);
    const Frame frame = render(scene, camera, options.size, scene_at(before), last_camera);
    const auto views = views_of({camera}, {last_camera});
    Reflected reflected = rig.run({frame}, {.views = views, .index = n, .reset = n == 0, .fallback = kGreyFallback});
    if (n < kFrames) continue;
    const Truth truth(scene, camera, frame, 256);
    moved.with_history = truth.rmse(reflected);
    reflected = rig.run({frame}, {.views = views, .index = n, .reset = true, .fallback = kGreyFallback});
    moved.without = truth.rmse(reflected);
  }
  return moved;
}

TEST_F(VulkanReflection, HistoryFollowsTheCamera) {
  const Extent size{96, 64};
  for (const bool by_motion_vectors : {false, true}) {
    ReflectionOptions options = rig_options(size, moving_camera(0));
    if (by_motion_vectors) options.motion = Format::kRG32Sfloat;
    for (const ReflectionResolution resolution : {ReflectionResolution::kFull, ReflectionResolution::kHalf}) {
      options.resolution = resolution;
      for (const double roughness : {0.15, 0.4}) {
        const Scene scene = hall(roughness, roughness);
        const Moved moved = run_moving(
            options, [&](uint32_t) { return scene; }, moving_camera);
        std::printf("roughness %.2f: %.4f with history, %.4f without\n", roughness, moved.with_history, moved.without);
        EXPECT_LT(moved.with_history, (roughness < 0.2 ? 0.75 : 0.5) * moved.without);
      }
    }
  }
}

TEST_F(VulkanReflection, HistoryFollowsMovingObjects) {
  const Extent size{96, 64};
  const Camera camera = usual_camera(Projection::kReversedInfinite);
  ReflectionOptions options = rig_options(size, camera);
  options.motion = Format::kRG32Sfloat;
  const auto scene_at = [](uint32_t n) {
    Scene scene = hall(0.3, 0.3);
    scene.shapes[6].center.x += 0.03 * n;  // both spheres, also in their reflections
    scene.shapes[7].center.z += 0.03 * n;
    return scene;
  };
  const Moved moved = run_moving(options, scene_at, [&](uint32_t) { return camera; });
  std::printf("%.4f with history, %.4f without\n", moved.with_history, moved.without);
  EXPECT_LT(moved.with_history, 0.6 * moved.without);
}

// A jump of an object: what it has covered, and its old reflection, are new.
TEST_F(VulkanReflection, HistoryOfOtherSurfacesIsNotTaken) {
  const Extent size{96, 64};
  const Camera camera = usual_camera(Projection::kReversedInfinite);
  ReflectionOptions options = rig_options(size, camera);
  options.filter_passes = 0;
  Scene scene = hall(0.3, 0.3);
  ReflectionRig rig(options);
  const auto views = views_of({camera}, {camera});
  const Frame first = render(scene, camera, size);
  for (uint32_t n = 0; n < 16; ++n)
    (void)rig.run({first}, {.views = views, .index = n, .reset = n == 0, .fallback = kGreyFallback});
  scene.shapes[7].center = {0, 0.7, 1};
  const Frame jumped = render(scene, camera, size, scene, camera);
  const Truth truth(scene, camera, jumped, 256);
  Truth uncovered = truth;  // floor where the sphere was
  for (size_t i = 0; i < uncovered.counts.size(); ++i)
    uncovered.counts[i] = first.shapes[i] == 7 && jumped.shapes[i] == 0;
  const double at_once = uncovered.rmse(rig.run({jumped}, {.views = views, .index = 16, .fallback = kGreyFallback}));
  double later = 0;
  for (uint32_t n = 17; n < 25; ++n)
    later = truth.rmse(rig.run({jumped}, {.views = views, .index = n, .fallback = kGreyFallback}));
  const double fresh =
      uncovered.rmse(rig.run({jumped}, {.views = views, .index = 16, .reset = true, .fallback = kGreyFallback}));
  std::printf("uncovered: %.4f, without history %.4f; after eight frames %.4f\n", at_once, fresh, later);
  EXPECT_EQ(at_once, fresh);
  EXPECT_LT(later, 0.15);
}

TEST_F(VulkanReflection, ColoursOfTheLastFrameAreFoundAgain) {
  const Extent size{200, 120};
  const Camera camera = moving_camera(3), last_camera = moving_camera(0);
  Scene scene = hall(0, 0);
  Scene last_scene = scene;
  last_scene.shapes[6].center.x += 0.1;
  for (const bool by_motion_vectors : {true, false}) {
    ReflectionOptions options = rig_options(size, camera);
    options.color_frame = ReflectionColor::kLastFrame;
    options.motion_scale = {-1, -1};
    if (by_motion_vectors) options.motion = Format::kRG32Sfloat;
    if (!by_motion_vectors) last_scene = scene;
    Frame frame = render(scene, camera, size, last_scene, last_camera);
    for (auto& motion : frame.motion) motion = {-motion[0], -motion[1]};  // as the scale says
    const std::vector<Frame> last = {render(last_scene, last_camera, size)};
    ReflectionRig rig(options);
    const auto views = views_of({camera}, {last_camera});
    const Mirrored m = compare_mirrors(scene, camera, frame, rig.run({frame}, {.views = views, .reset = true}, &last));
    std::printf("%u of %u wrong, rmse %.4f\n", m.wrong, m.certain, std::sqrt(m.squares / m.certain));
    EXPECT_LT(m.wrong, 0.01 * m.certain);
    EXPECT_LT(std::sqrt(m.squares / m.certain), 0.01);
  }
}

}  // namespace
}  // namespace onepass::testing
