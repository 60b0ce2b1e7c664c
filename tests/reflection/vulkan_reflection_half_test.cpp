// vulkan_reflection_half_test.cpp: reflections whose rays are those of every second texel: where these are, what the
// texels between them get, and that their history is found again. Errors against many rays:
// vulkan_reflection_test.cpp; NaN, memory, shared work: vulkan_reflection_inputs_test.cpp.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tests/reflection/reflection_rig.hpp"

namespace onepass::testing {
namespace {

class VulkanReflectionHalf : public VulkanTest {};

constexpr Projection kUsual = Projection::kReversedInfinite;
using Texel = std::array<float, 4>;

ReflectionOptions half_options(Extent size, const Camera& camera) {
  ReflectionOptions options = rig_options(size, camera);
  options.resolution = ReflectionResolution::kHalf;
  return options;
}

Reflected run_first(const ReflectionOptions& options, const Camera& camera, const Frame& frame,
                    std::array<float, 3> fallback = {}) {
  ReflectionRig rig(options);
  const auto views = views_of({camera}, {camera});
  return rig.run({frame}, {.views = views, .reset = true, .fallback = fallback});
}

bool has_rays(uint32_t x, uint32_t y) { return x % 2 == 0 && y % 2 == 0; }

// The texels with rays beside one without; at the last column and row of an even size those before it only.
std::vector<size_t> traced_beside(Extent size, uint32_t x, uint32_t y) {
  std::vector<size_t> texels;
  for (uint32_t v = y - y % 2; v <= y + y % 2 && v < size.height; v += 2)
    for (uint32_t u = x - x % 2; u <= x + x % 2 && u < size.width; u += 2) texels.push_back(size_t{v} * size.width + u);
  return texels;
}

// ---- Which texels have rays

// Mirrors have neither noise nor filter: where half resolution traces, it finds the bits of full resolution.
TEST_F(VulkanReflectionHalf, EverySecondTexelOfAMirrorIsExact) {
  constexpr std::pair<Extent, Projection> kCases[] = {{{1, 1}, kUsual},
                                                      {{2, 1}, kUsual},
                                                      {{1, 7}, kUsual},
                                                      {{60, 42}, kUsual},
                                                      {{61, 43}, kUsual},
                                                      {{61, 42}, Projection::kStandard},
                                                      {{60, 43}, Projection::kOrthographicReversed}};
  for (const auto& [size, projection] : kCases) {
    const Camera& camera = usual_camera(projection);
    const Frame frame = render(hall(0, 0), camera, size);
    const Reflected full = run_first(rig_options(size, camera), camera, frame, {0.5F, 0.25F, 2});
    const Reflected half = run_first(half_options(size, camera), camera, frame, {0.5F, 0.25F, 2});
    for (uint32_t i = 0; i < full.light.size(); ++i) {
      if (!has_rays(i % size.width, i / size.width)) continue;
      ASSERT_EQ(half.light[i], full.light[i]) << size.width << "x" << size.height << ", " << i;
      ASSERT_EQ(half.distance[i], full.distance[i]) << size.width << "x" << size.height << ", " << i;
    }
  }
}

// ---- What is between them

// Of the floor, in which all texels have one plane: the mean of those beside it that are floor of the same roughness.
// Others are the mirror sphere, and rough floor.
TEST_F(VulkanReflectionHalf, TexelsBetweenAreMeansOfTheirSurface) {
  const Extent size{61, 42};
  const Camera& camera = usual_camera(kUsual);
  Frame frame = render(hall(0, 0), camera, size);
  for (uint32_t i = 0; i < frame.normals.size(); ++i) {
    const uint32_t x = i % size.width, y = i / size.width;
    if (frame.shapes[i] == 0 && x / 2 % 4 == 3 && y / 2 % 4 == 3) frame.normals[i][3] = 0.5F;
  }
  const Reflected half = run_first(half_options(size, camera), camera, frame);
  uint32_t compared = 0, mixed_shapes = 0, mixed_roughness = 0;
  for (uint32_t i = 0; i < half.light.size(); ++i) {
    if (frame.shapes[i] != 0 || frame.normals[i][3] > 0) continue;
    std::array<double, 4> sum{};
    uint32_t alike = 0;
    for (const size_t k : traced_beside(size, i % size.width, i / size.width)) {
      mixed_shapes += frame.shapes[k] == 7 ? 1 : 0;
      mixed_roughness += frame.shapes[k] == 0 && frame.normals[k][3] > 0 ? 1 : 0;
      if (frame.shapes[k] != 0 || frame.normals[k][3] > 0) continue;
      for (size_t c = 0; c < 4; ++c) sum[c] += half.light[k][c];
      ++alike;
    }
    if (alike == 0) continue;
    for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(half.light[i][c], sum[c] / alike, 2e-3 * sum[c] / alike) << i;
    ++compared;
  }
  std::printf("%u compared, %u taps of the sphere, %u of rough floor\n", compared, mixed_shapes, mixed_roughness);
  EXPECT_GT(compared, 800U);
  EXPECT_GT(mixed_shapes, 10U);
  EXPECT_GT(mixed_roughness, 50U);
}

// Mirrors that are far before or behind all texels with rays, which are rough: weights too small for a float.
TEST_F(VulkanReflectionHalf, WhereNothingIsAlikeTheNeighboursCount) {
  const Extent size{61, 43};
  const Camera& camera = usual_camera(kUsual);
  const Frame frame = render(hall(0.59, 0.59), camera, size);
  Frame turned = frame;
  for (uint32_t i = 0; i < turned.normals.size(); ++i) {
    if (has_rays(i % size.width, i / size.width)) continue;
    turned.normals[i] = {1, 0, 0, 0};  // and a mirror
    turned.depth[i] *= 4;
  }
  const Reflected half = run_first(half_options(size, camera), camera, turned, {3, 2, 1});
  uint32_t compared = 0;
  for (uint32_t i = 0; i < half.light.size(); ++i) {
    if (frame.shapes[i] < 0 || has_rays(i % size.width, i / size.width)) continue;
    Texel least{1e9F, 1e9F, 1e9F, 1e9F}, most{};
    for (const size_t k : traced_beside(size, i % size.width, i / size.width)) {
      if (frame.shapes[k] < 0 || frame.normals[k][3] > 0.6F) continue;
      for (size_t c = 0; c < 4; ++c) {
        least[c] = std::min(least[c], half.light[k][c]);
        most[c] = std::max(most[c], half.light[k][c]);
      }
    }
    if (least[0] == 1e9F) least = most = {3, 2, 1, 0};  // nothing beside it reflects: the light of a ray without a hit
    for (size_t c = 0; c < 4; ++c) {
      ASSERT_GE(half.light[i][c], least[c] - 1e-3F * least[c]) << i << " " << c;
      ASSERT_LE(half.light[i][c], most[c] + 1e-3F * most[c]) << i << " " << c;
    }
    ++compared;
  }
  EXPECT_GT(compared, 1200U);
}

// Texels that reflect, alone between background: the picture of the surroundings in the mirror's direction.
TEST_F(VulkanReflectionHalf, WhereNothingElseReflectsTheSurroundingsDo) {
  const Extent size{32, 20}, picture_size{32, 16};
  const Camera& camera = usual_camera(kUsual);
  Scene scene = hall(0, 0);
  scene.shapes.resize(1);
  Frame frame = render(scene, camera, size);
  for (uint32_t i = 0; i < frame.depth.size(); ++i) {
    if (has_rays(i % size.width, i / size.width)) frame.depth[i] = 0;
  }
  auto picture = Image::create(Format::kRGBA32Sfloat, picture_size);
  for (uint32_t y = 0; y < picture_size.height; ++y) {
    const float texel[4] = {static_cast<float>(1 + std::cos((y + 0.5) / picture_size.height * 3.14159265)), 1, 0.5F, 1};
    for (uint32_t x = 0; x < picture_size.width; ++x) std::memcpy(picture->view().row(y) + 16 * x, texel, 16);
  }
  ReflectionOptions options = half_options(size, camera);
  options.environment = Format::kRGBA32Sfloat;
  ReflectionRig rig(options);
  rig.set_environment(picture->view());
  const auto views = views_of({camera}, {camera});
  const Reflected half = rig.run({frame}, {.views = views, .reset = true});
  uint32_t compared = 0;
  for (uint32_t i = 0; i < half.light.size(); ++i) {
    if (frame.shapes[i] < 0 || frame.depth[i] == 0) {
      ASSERT_EQ(half.light[i], (Texel{})) << i;
      continue;
    }
    Vec from, direction;
    camera.ray((i % size.width + 0.5) / size.width, (i / size.width + 0.5) / size.height, from, direction);
    EXPECT_NEAR(half.light[i][0], 1 - direction.y, 0.02) << i;  // the floor turns y around
    EXPECT_NEAR(half.light[i][2], 0.5, 1e-3) << i;
    EXPECT_EQ(half.light[i][3], 0) << i;
    ++compared;
  }
  EXPECT_GT(compared, 200U);
}

// ---- History

// With a still camera the history of a texel is its own: after two frames, the mean of what each finds alone.
TEST_F(VulkanReflectionHalf, HistoryOfAStillCameraIsTheTexelsOwn) {
  for (const Extent size : {Extent{61, 43}, Extent{60, 42}, Extent{7, 64}}) {
    for (const bool by_motion_vectors : {false, true}) {
      const Camera& camera = usual_camera(kUsual);
      const Frame frame = render(hall(0.3, 0.3), camera, size);
      ReflectionOptions options = half_options(size, camera);
      options.filter_passes = 0;
      options.history_deviations = 0;
      if (by_motion_vectors) options.motion = Format::kRG32Sfloat;
      const auto views = views_of({camera}, {camera});
      ReflectionRig rig(options);
      const Reflected first = rig.run({frame}, {.views = views, .index = 0, .reset = true});
      const Reflected second = rig.run({frame}, {.views = views, .index = 1, .reset = true});
      (void)rig.run({frame}, {.views = views, .index = 0, .reset = true});
      const Reflected both = rig.run({frame}, {.views = views, .index = 1});
      uint32_t wrong = 0, compared = 0;
      for (uint32_t i = 0; i < both.light.size(); ++i) {
        if (!has_rays(i % size.width, i / size.width)) continue;
        if (first.light[i] == second.light[i]) continue;
        ++compared;
        for (size_t c = 0; c < 4; ++c) {
          const float mean = 0.5F * (first.light[i][c] + second.light[i][c]);
          if (std::fabs(both.light[i][c] - mean) > 0.01F) {
            ++wrong;
            break;
          }
        }
      }
      std::printf("%ux%u: %u of %u are no means\n", size.width, size.height, wrong, compared);
      EXPECT_GT(compared, size.width * size.height / 20);
      EXPECT_EQ(wrong, 0U);
    }
  }
}

// Motion vectors that are the same for all texels, a whole number of texels with rays. The camera of the last frame
// looks the other way: it has the same floor, but saw none of the reflected points, so that motion vectors alone find
// history.
TEST_F(VulkanReflectionHalf, MotionVectorsAreOfTheFullSizeAtAnySize) {
  constexpr uint32_t kAcross = 16, kDown = 8;
  const Vec eye{0.1, 1.3, 4.2};
  for (const Extent size : {Extent{61, 43}, Extent{60, 42}, Extent{61, 42}, Extent{60, 43}}) {
    const double shape = static_cast<double>(size.width) / size.height;
    const Camera camera(eye, eye + Vec{0, -1.2, -4}, shape, kUsual), behind(eye, eye + Vec{0, -1.2, 4}, shape, kUsual);
    Frame frame = render(hall(0.3, 0.3), camera, size);
    for (auto& motion : frame.motion)
      motion = {kAcross / static_cast<float>(size.width), kDown / -static_cast<float>(size.height)};
    ReflectionOptions options = half_options(size, camera);
    options.filter_passes = 0;
    options.history_deviations = 0;
    options.motion = Format::kRG32Sfloat;
    const auto views = views_of({camera}, {behind});
    ReflectionRig rig(options);
    const Reflected second = rig.run({frame}, {.views = views, .index = 1, .reset = true});
    const Reflected first = rig.run({frame}, {.views = views, .index = 0, .reset = true});
    const Reflected both = rig.run({frame}, {.views = views, .index = 1});
    uint32_t compared = 0;
    for (uint32_t y = kDown; y < size.height; y += 2) {
      for (uint32_t x = 0; x + kAcross < size.width; x += 2) {
        const size_t i = size_t{y} * size.width + x, last = i + kAcross - size_t{kDown} * size.width;
        if (frame.shapes[i] != 0 || frame.shapes[last] != 0) continue;
        ++compared;
        for (size_t c = 0; c < 4; ++c) {
          const float mean = 0.5F * (first.light[last][c] + second.light[i][c]);
          ASSERT_NEAR(both.light[i][c], mean, 0.01F) << size.width << "x" << size.height << ", " << x << ", " << y;
        }
      }
    }
    EXPECT_GT(compared, 100U);
  }
}

TEST_F(VulkanReflectionHalf, AResetForgetsAllFramesBefore) {
  const Extent size{61, 43};
  const Camera& camera = usual_camera(kUsual);
  const Frame frame = render(hall(0.3, 0.1), camera, size), other = render(hall(0.5, 0.5), camera, size);
  const auto views = views_of({camera}, {camera});
  ReflectionRig rig(half_options(size, camera));
  for (uint32_t n = 0; n < 3; ++n) (void)rig.run({other}, {.views = views, .index = n, .reset = n == 0});
  const Reflected with_history = rig.run({frame}, {.views = views, .index = 3});
  const Reflected again = rig.run({frame}, {.views = views, .index = 3, .reset = true});
  ReflectionRig fresh(half_options(size, camera));
  EXPECT_EQ(again, fresh.run({frame}, {.views = views, .index = 3, .reset = true}));
  EXPECT_NE(again, with_history);
}

}  // namespace
}  // namespace onepass::testing
