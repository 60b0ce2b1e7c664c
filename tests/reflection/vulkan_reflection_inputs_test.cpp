// vulkan_reflection_inputs_test.cpp: reflections of every kind of input: sizes, slices, formats, encodings, footprints,
// NaN, the surroundings, memory of the caller, mistakes. What is right: vulkan_reflection_test.cpp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "tests/reflection/reflection_rig.hpp"

namespace onepass::testing {
namespace {

class VulkanReflectionInputs : public VulkanTest {};

constexpr Projection kUsual = Projection::kReversedInfinite;
constexpr ReflectionResolution kResolutions[] = {ReflectionResolution::kFull, ReflectionResolution::kHalf};

// Two frames, the second with a history.
Reflected run_two(const ReflectionOptions& options, const std::vector<Camera>& cameras,
                  const std::vector<Frame>& frames, const vulkan::ReflectionTuning& tuning = {}) {
  ReflectionRig rig(options, tuning);
  const auto views = views_of(cameras, cameras);
  (void)rig.run(frames, {.views = views, .index = 0, .reset = true});
  return rig.run(frames, {.views = views, .index = 1});
}

// Mirrors, rough and too rough texels side by side.
Frame mixed(Frame frame) {
  for (size_t i = 0; i < frame.normals.size(); ++i) {
    constexpr float kRoughness[] = {0, 0.3F, 0.5F, 1};
    frame.normals[i][3] = kRoughness[(i * 2654435761U >> 7) % 4];
  }
  return frame;
}

double sum_of_confidence(const Reflected& reflected) {
  double sum = 0;
  for (const auto& light : reflected.light) sum += light[3];
  return sum;
}

TEST_F(VulkanReflectionInputs, TheSameBitsHoweverTheWorkIsShared) {
  const Extent size{67, 45};
  const Camera& camera = usual_camera(kUsual);
  const Frame frame = mixed(render(hall(0.3, 0.1), camera, size));
  for (const ReflectionResolution resolution : kResolutions) {
    for (const ReflectionRays rays : {ReflectionRays::kQuarter, ReflectionRays::kOne, ReflectionRays::kFour}) {
      ReflectionOptions options = rig_options(size, camera);
      options.resolution = resolution;
      options.rays = rays;
      const Reflected first = run_two(options, {camera}, {frame});
      EXPECT_GT(sum_of_confidence(first), 300);
      EXPECT_EQ(first, run_two(options, {camera}, {frame}));
      EXPECT_EQ(first, run_two(options, {camera}, {frame}, {.march_group = 32}));
      EXPECT_EQ(first, run_two(options, {camera}, {frame}, {.march_group = 128}));
    }
  }
}

// Rays hit what they would hit without a pyramid, so that its kind does not matter.
TEST_F(VulkanReflectionInputs, AnyPyramidAtAnySize) {
  for (const Extent size : {Extent{1, 1}, {1, 37}, {53, 1}, {8, 8}, {17, 9}, {63, 33}}) {
    const Projection projection = size.height % 2 == 1 ? kUsual : Projection::kStandard;
    const Camera& camera = usual_camera(projection);
    const Frame frame = render(hall(0.3, 0), camera, size);
    ReflectionOptions options = rig_options(size, camera);
    const Reflected covering = run_two(options, {camera}, {frame});
    if (size.width > 16 && size.height > 1) {
      EXPECT_GT(sum_of_confidence(covering), size.height);
    }
    options.footprint = Footprint::kTight;
    EXPECT_EQ(covering, run_two(options, {camera}, {frame})) << size.width << "x" << size.height;
    options.footprint = Footprint::kEdge;
    EXPECT_EQ(covering, run_two(options, {camera}, {frame})) << size.width << "x" << size.height;
  }
}

// With minima and maxima rays also skip what they are behind, and seldom miss by it what they would have hit.
TEST_F(VulkanReflectionInputs, MaximaShortenRaysBehindObjects) {
  for (const Projection projection : {Projection::kStandard, Projection::kOrthographicReversed}) {
    const Extent size{801, 451};
    const Camera& camera = usual_camera(projection);
    const Frame frame = render(hall(0.3, 0), camera, size);
    ReflectionOptions options = rig_options(size, camera);
    options.max_steps = 2000;
    const Reflected all = run_two(options, {camera}, {frame});
    options.pyramid = Format::kRG32Sfloat;
    const Reflected skipping = run_two(options, {camera}, {frame});
    options.max_steps = 100;
    const Reflected few = run_two(options, {camera}, {frame});
    options.pyramid = Format::kR32Sfloat;
    const Reflected few_without = run_two(options, {camera}, {frame});
    const double found = sum_of_confidence(all);
    std::printf("confidence %.0f, with maxima %.0f; in 100 steps %.0f, with maxima %.0f\n", found,
                sum_of_confidence(skipping), sum_of_confidence(few_without), sum_of_confidence(few));
    EXPECT_NEAR(sum_of_confidence(skipping), found, 2e-3 * found);
    EXPECT_GT(found - sum_of_confidence(few_without), 1.3 * (found - sum_of_confidence(few)));
  }
}

TEST_F(VulkanReflectionInputs, SlicesAreSeparate) {
  const Extent size{41, 23};
  const Camera left({0.1, 1.3, 4.2}, {0, 0.9, 0}, 1.5, kUsual), right({0.9, 1.5, 4}, {0, 0.7, 0}, 1.5, kUsual);
  const Frame a = mixed(render(hall(0.3, 0), left, size)), b = render(hall(0.2, 0.4), right, size);
  for (const ReflectionResolution resolution : kResolutions) {
    ReflectionOptions options = rig_options(size, left);
    options.resolution = resolution;
    const Reflected only_a = run_two(options, {left}, {a}), only_b = run_two(options, {right}, {b});
    options.slices = 2;
    const Reflected both = run_two(options, {left, right}, {a, b});
    const auto middle = static_cast<std::ptrdiff_t>(only_a.light.size());
    EXPECT_EQ(only_a.light, std::vector(both.light.begin(), both.light.begin() + middle));
    EXPECT_EQ(only_b.light, std::vector(both.light.begin() + middle, both.light.end()));
    EXPECT_EQ(only_b.distance, std::vector(both.distance.begin() + middle, both.distance.end()));
  }
}

TEST_F(VulkanReflectionInputs, KindsOfTexelsDoNotMix) {
  const Extent size{61, 43};
  const Camera& camera = usual_camera(kUsual);
  Frame mirrors = render(hall(0, 0), camera, size);
  for (auto& normal : mirrors.normals) normal[3] = 0;
  const Frame frame = mixed(mirrors);
  const ReflectionOptions options = rig_options(size, camera);
  const Reflected of_mirrors = run_two(options, {camera}, {mirrors}), of_mixed = run_two(options, {camera}, {frame});
  for (size_t i = 0; i < frame.normals.size(); ++i) {
    if (frame.normals[i][3] == 0) {
      EXPECT_EQ(of_mixed.light[i], of_mirrors.light[i]) << i;
      EXPECT_EQ(of_mixed.distance[i], of_mirrors.distance[i]) << i;
    } else if (frame.normals[i][3] == 1) {
      EXPECT_EQ(of_mixed.light[i], (std::array<float, 4>{})) << i;
    }
  }
}

TEST_F(VulkanReflectionInputs, NothingToReflect) {
  const Extent size{33, 20};
  const Camera& camera = usual_camera(kUsual);
  const Frame empty = render({}, camera, size), rough = render(hall(1, 1), camera, size);
  for (const ReflectionResolution resolution : kResolutions) {
    ReflectionOptions options = rig_options(size, camera);
    options.resolution = resolution;
    for (const Frame& frame : {empty, rough}) {
      const Reflected reflected = run_two(options, {camera}, {frame});
      for (const auto& light : reflected.light) EXPECT_EQ(light, (std::array<float, 4>{}));
      for (const float distance : reflected.distance) EXPECT_EQ(distance, 0);
    }
  }
}

// ---- Formats

double difference(const Reflected& a, const Reflected& b) {
  double sum = 0;
  for (size_t i = 0; i < a.light.size(); ++i)
    for (size_t c = 0; c < 4; ++c) sum += std::fabs(a.light[i][c] - b.light[i][c]);
  return sum / static_cast<double>(4 * a.light.size());
}

TEST_F(VulkanReflectionInputs, FormatsAndEncodings) {
  const Extent size{80, 50};
  const Camera& camera = usual_camera(kUsual);
  const Frame frame = render(hall(0, 0), camera, size);
  const Reflected expected = run_two(rig_options(size, camera), {camera}, {frame});
  using Change = std::function<void(ReflectionOptions&)>;
  const std::pair<Change, double> cases[] = {{[](auto& o) { o.depth = Format::kD32Sfloat; }, 0},
                                             {[](auto& o) { o.color = Format::kB10G11R11Ufloat; }, 0.01},
                                             {[](auto& o) { o.normals = o.roughness = Format::kRGBA16Sfloat; }, 0.01},
                                             {[](auto& o) {
                                                o.normals = Format::kRGBA16Unorm;
                                                o.roughness = Format::kR8Unorm;
                                                o.roughness_channel = 0;
                                                o.normal_encoding = NormalEncoding::kUnsigned;
                                              },
                                              0.01},
                                             {[](auto& o) {
                                                o.normals = Format::kRG16Unorm;
                                                o.roughness = Format::kRGBA8Unorm;
                                                o.roughness_channel = 2;
                                                o.normal_encoding = NormalEncoding::kOctahedral;
                                              },
                                              0.01}};
  for (size_t i = 0; i < std::size(cases); ++i) {
    ReflectionOptions options = rig_options(size, camera);
    cases[i].first(options);
    const double differs = difference(expected, run_two(options, {camera}, {frame}));
    EXPECT_LE(differs, cases[i].second) << "case " << i;
  }
  ReflectionOptions options = rig_options(size, camera);
  options.hit_distance = Format::kR16Sfloat;
  EXPECT_EQ(run_two(options, {camera}, {frame}), expected);  // halves are what the kernels keep
  options.hit_distance = Format::kUndefined;
  EXPECT_EQ(run_two(options, {camera}, {frame}).light, expected.light);
}

// ---- Options of rays

TEST_F(VulkanReflectionInputs, ConfidenceFadesAtTheBorders) {
  const Extent size{120, 80};
  const Camera& camera = usual_camera(kUsual);
  const Scene scene = hall(0, 0);
  const Frame frame = render(scene, camera, size);
  ReflectionOptions options = rig_options(size, camera);
  options.border_fade = 0.3F;
  ReflectionRig rig(options);
  const auto views = views_of({camera}, {camera});
  const Reflected reflected = rig.run({frame}, {.views = views, .reset = true});
  const auto fade = [](double at) {
    const double t = std::clamp(std::min(at, 1 - at) / 0.3, 0.0, 1.0);
    return t * t * (3 - 2 * t);
  };
  uint32_t compared = 0, wrong = 0;
  for (uint32_t i = 0; i < reflected.light.size(); ++i) {
    if (frame.shapes[i] < 0 || frame.normals[i][3] > 0) continue;
    const Expected expected = expect_reflection(scene, camera, frame, i % size.width, i / size.width, 1, 0.05, {});
    if (!expected.certain) continue;
    const double confidence = fade(expected.u) * fade(expected.v);
    ++compared;
    const auto& light = reflected.light[i];
    wrong += std::fabs(light[3] - confidence) > 0.03 || std::fabs(light[0] - confidence * expected.radiance.x) > 0.06;
  }
  EXPECT_GT(compared, 2000U);
  EXPECT_LT(wrong, 0.015 * compared);
}

TEST_F(VulkanReflectionInputs, ThicknessAndStepsLimitHits) {
  const Extent size{120, 80};
  const Camera& camera = usual_camera(kUsual);
  const Frame frame = render(hall(0, 0), camera, size);
  const auto hits = [&](float thickness, float relative, uint32_t steps) {
    ReflectionOptions options = rig_options(size, camera);
    options.thickness = thickness;
    options.relative_thickness = relative;
    options.max_steps = steps;
    return sum_of_confidence(run_two(options, {camera}, {frame}));
  };
  const double thin = hits(0, 0, 256);
  EXPECT_GT(thin, 2000);
  EXPECT_GT(hits(0, 0.1F, 256), thin + 5);
  EXPECT_GT(hits(2, 0, 256), thin + 50);
  EXPECT_LT(hits(0, 0, 12), 0.9 * thin);
  EXPECT_EQ(hits(0, 0, 1), 0);
}

// A floor under a sky: rays see the picture of the surroundings in their direction.
TEST_F(VulkanReflectionInputs, RaysWithoutAHitSeeTheSurroundings) {
  const Extent size{64, 40}, picture_size{32, 16};
  const Camera& camera = usual_camera(kUsual);
  Scene scene = hall(0, 0);
  scene.shapes.resize(1);
  const Frame frame = render(scene, camera, size);
  auto picture = Image::create(Format::kRGBA32Sfloat, picture_size);
  for (uint32_t y = 0; y < picture_size.height; ++y) {
    for (uint32_t x = 0; x < picture_size.width; ++x) {
      const double longitude = ((x + 0.5) / picture_size.width - 0.5) * 2 * 3.14159265;
      const double latitude = (y + 0.5) / picture_size.height * 3.14159265;
      // The direction itself, plus 1: linear enough between texels.
      const float texel[4] = {static_cast<float>(1 + std::sin(longitude) * std::sin(latitude)),
                              static_cast<float>(1 + std::cos(latitude)),
                              static_cast<float>(1 - std::cos(longitude) * std::sin(latitude)), 1};
      std::memcpy(picture->view().row(y) + 16 * x, texel, 16);
    }
  }
  ReflectionOptions options = rig_options(size, camera);
  options.environment = Format::kRGBA32Sfloat;
  ReflectionRig rig(options);
  rig.set_environment(picture->view());
  const auto views = views_of({camera}, {camera});
  const Reflected reflected = rig.run({frame}, {.views = views, .reset = true});
  options.environment = Format::kUndefined;
  ReflectionRig constant(options);
  const Reflected of_constant = constant.run({frame}, {.views = views, .reset = true, .fallback = {2, 1, 0.25F}});
  uint32_t compared = 0;
  for (uint32_t i = 0; i < reflected.light.size(); ++i) {
    if (frame.shapes[i] < 0) continue;
    Vec from, direction;
    camera.ray((i % size.width + 0.5) / size.width, (i / size.width + 0.5) / size.height, from, direction);
    const auto& light = reflected.light[i];
    EXPECT_NEAR(light[0], 1 + direction.x, 0.02) << i;
    EXPECT_NEAR(light[1], 1 - direction.y, 0.02) << i;
    EXPECT_NEAR(light[2], 1 + direction.z, 0.02) << i;
    EXPECT_EQ(light[3], 0);
    EXPECT_EQ(of_constant.light[i], (std::array<float, 4>{2, 1, 0.25F, 0}));
    ++compared;
  }
  EXPECT_GT(compared, 1000U);
}

// ---- NaN and Inf

// Six frames with such numbers in every image, in the matrices and in the fallback.
void expect_numbers_from_nan(ReflectionResolution resolution, ReflectionColor color_frame) {
  const Extent size{57, 39};
  const Camera& camera = usual_camera(kUsual);
  const Frame clean = render(hall(0.3, 0), camera, size);
  constexpr float kValues[] = {std::numeric_limits<float>::quiet_NaN(),
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               -1e30F,
                               1e30F,
                               0,
                               -1};
  ReflectionOptions options = rig_options(size, camera);
  options.resolution = resolution;
  options.motion = Format::kRG32Sfloat;
  options.color_frame = color_frame;
  ReflectionRig rig(options);
  auto views = views_of({camera}, {camera});
  Reflected reflected;
  for (uint32_t n = 0; n < 6; ++n) {
    Frame frame = clean;
    uint32_t state = n + 1;
    const auto spoil = [&](float& value) {
      state = state * 1664525U + 1013904223U;
      if ((state >> 8) % 20 == 0) value = kValues[(state >> 16) % std::size(kValues)];
    };
    for (size_t i = 0; i < frame.depth.size() && n < 4; ++i) {
      spoil(frame.depth[i]);
      for (float& value : frame.normals[i]) spoil(value);
      for (float& value : frame.color[i]) spoil(value);
      for (float& value : frame.motion[i]) spoil(value);
    }
    if (n == 3) views[0].last_clip_from_world[5] = kValues[0];
    if (n == 4) views[0].clip_from_world[2] = kValues[0];
    if (n == 5) views = views_of({camera}, {camera});
    const std::array<float, 3> fallback{kValues[n % 3], kValues[3], kValues[4]};
    reflected = rig.run({frame}, {.views = views, .index = n, .reset = n == 0, .fallback = fallback});
    for (size_t i = 0; i < reflected.light.size(); ++i) {
      for (const float value : reflected.light[i]) ASSERT_TRUE(value >= 0 && value <= 65504) << n << " " << i;
      ASSERT_LE(reflected.light[i][3], 1);
      ASSERT_TRUE(reflected.distance[i] >= 0 && reflected.distance[i] <= 65504) << n << " " << i;
    }
    if (n == 4) {
      EXPECT_EQ(sum_of_confidence(reflected), 0);  // no matrix, no surface
    }
  }
  EXPECT_GT(sum_of_confidence(reflected), 500);
}

TEST_F(VulkanReflectionInputs, NoNanComesOut) {
  for (const ReflectionResolution resolution : kResolutions) {
    for (const ReflectionColor color_frame : {ReflectionColor::kThisFrame, ReflectionColor::kLastFrame})
      expect_numbers_from_nan(resolution, color_frame);
  }
}

// ---- Memory and mistakes

void expect_memory_of_the_caller(ReflectionResolution resolution) {
  const Extent size{45, 31};
  const Camera& camera = usual_camera(kUsual);
  const Frame frame = mixed(render(hall(0.3, 0), camera, size));
  ReflectionOptions options = rig_options(size, camera);
  options.resolution = resolution;
  const auto views = views_of({camera}, {camera});
  ReflectionRig own(options);
  const Reflected expected = own.run({frame}, {.views = views, .index = 1, .reset = true});
  const Reflected twice = own.run({frame}, {.views = views, .index = 1}, nullptr, 2);
  const uint64_t bytes = own.plan().scratch_bytes;
  constexpr uint64_t kGuard = 512;
  auto buffer = vulkan::Buffer::create(
      test_device().impl(), bytes + 2 * kGuard,
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      true);
  ASSERT_TRUE(buffer) << buffer.error().text();
  std::memset(buffer->mapped, 0xFF, bytes + 2 * kGuard);  // NaN
  ReflectionRig rig(options);
  rig.set_scratch(buffer->buffer, kGuard);
  EXPECT_EQ(rig.run({frame}, {.views = views, .index = 1, .reset = true}), expected);
  EXPECT_EQ(rig.run({frame}, {.views = views, .index = 1}, nullptr, 2), twice);
  const auto* content = static_cast<const std::byte*>(buffer->mapped);
  const auto untouched = [](std::byte byte) { return byte == std::byte{0xFF}; };
  EXPECT_TRUE(std::all_of(content, content + kGuard, untouched));
  EXPECT_TRUE(std::all_of(content + kGuard + bytes, content + bytes + 2 * kGuard, untouched));
}

TEST_F(VulkanReflectionInputs, MemoryOfTheCallerOfAnyContent) {
  for (const ReflectionResolution resolution : kResolutions) expect_memory_of_the_caller(resolution);
}

TEST_F(VulkanReflectionInputs, SaysWhatIsWrong) {
  const Extent size{16, 16};
  ReflectionOptions options = rig_options(size, usual_camera(kUsual));
  const auto refused = [&](const vulkan::ReflectionTuning& tuning) {
    const auto made = vulkan::Reflection::create(test_device(), options, tuning);
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(refused({.march_group = 48}).find("tuning.march_group: 48"), 0U);
  options.rays = static_cast<ReflectionRays>(7);
  EXPECT_EQ(refused({}).find("rays: 7"), 0U);
  options.rays = ReflectionRays::kOne;
  const auto reflection = vulkan::Reflection::create(test_device(), options);
  ASSERT_TRUE(reflection) << reflection.error().text();
  const auto image = [](uint64_t handle, uint32_t level = 0, uint32_t slice = 0) {
    return vulkan::ReflectionImage{reinterpret_cast<VkImage>(handle), level, slice};
  };
  const vulkan::ReflectionImages images{.color = image(1),
                                        .depth = image(2),
                                        .pyramid = image(3),
                                        .normals = image(4),
                                        .roughness = image(4),
                                        .target = image(5),
                                        .hit_distance = image(6)};
  using Change = std::function<void(vulkan::ReflectionImages&)>;
  const std::pair<Change, const char*> cases[] = {
      {[](auto& i) { i.color = {}; }, "color: null image"},
      {[](auto& i) { i.pyramid = {}; }, "pyramid: null image"},
      {[](auto& i) { i.hit_distance = {}; }, "hit_distance: null image"},
      {[&](auto& i) { i.motion = image(9); }, "motion: given, but the options have none"},
      {[&](auto& i) { i.environment = image(9); }, "environment: given, but the options have none"},
      {[&](auto& i) { i.target = image(1); }, "target: the same level and slice as color"},
      {[&](auto& i) { i.hit_distance = image(3, 2); }, "hit_distance: the same level and slice as pyramid"},
      {[&](auto& i) { i.hit_distance = image(5); }, "hit_distance: the same level and slice as target"},
      {[](auto& i) { i.scratch_offset = 128; }, "scratch_offset: 128 is not a multiple of 256"},
  };
  for (const auto& [change, text] : cases) {
    vulkan::ReflectionImages changed = images;
    change(changed);
    const auto bound = reflection->bind(changed);
    ASSERT_FALSE(bound) << text;
    EXPECT_EQ(bound.error().message, text);
  }
}

}  // namespace
}  // namespace onepass::testing
