// reflection_shaders_test.cpp: the shaders of samples/shaders around reflection_march and reflection_denoise, in GLSL
// and in HLSL, against a hall that is traced in double.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "reflection/matrix.hpp"
#include "tests/reflection/reflection_scene.hpp"
#include "tests/shaders/sample_kernels.hpp"
#include "tests/shaders/shader_testing.hpp"

namespace onepass::testing {
namespace {

using Texels = std::vector<std::array<float, 4>>;

class ReflectionShaders : public VulkanTest {};

void append(std::vector<uint32_t>& words, const std::array<float, 16>& matrix) {
  const size_t at = words.size();
  words.resize(at + 16);
  std::memcpy(words.data() + at, matrix.data(), sizeof matrix);
}

std::array<float, 16> inverse_of(const std::array<float, 16>& matrix) {
  float values[16];
  reflection::invert(matrix, values);
  return std::to_array(values);
}

std::vector<float> flat(const Texels& texels) {
  std::vector<float> values;
  for (const auto& texel : texels) values.insert(values.end(), texel.begin(), texel.end());
  return values;
}

// Depth and the covering pyramid of nearest depths; 1 is near.
std::vector<std::vector<float>> nearest_levels(const Frame& frame) {
  std::vector<std::vector<float>> levels = {frame.depth};
  for (uint32_t n = 1; n < full_level_count(frame.size); ++n) {
    const Extent level = level_size(frame.size, n);
    levels.emplace_back(size_t{level.width} * level.height, 0.0F);
    for (uint32_t i = 0; i < levels[n].size(); ++i) {
      const TexelRange x = oracle_footprint(Footprint::kCovering, frame.size.width, n, i % level.width);
      const TexelRange y = oracle_footprint(Footprint::kCovering, frame.size.height, n, i / level.width);
      for (uint32_t v = y.begin; v < y.end; ++v) {
        for (uint32_t u = x.begin; u < x.end; ++u) {
          levels[n][i] = std::max(levels[n][i], frame.depth[size_t{v} * frame.size.width + u]);
        }
      }
    }
  }
  return levels;
}

std::array<uint32_t, 2> groups_of(Extent size) { return {(size.width + 7) / 8, (size.height + 7) / 8}; }

struct Rays {
  std::vector<float> radiance;   // four per texel
  std::vector<float> distances;  // of hits; 0: none, -1: no ray
};

Rays march(const SampleKernel& kernel, const Camera& camera, const Frame& frame, uint32_t number) {
  const auto levels = nearest_levels(frame);
  const auto matrix = camera.matrix();
  std::vector<uint32_t> uniform;
  append(uniform, matrix);
  append(uniform, inverse_of(matrix));
  uniform.insert(uniform.end(),
                 {frame.size.width, frame.size.height, static_cast<uint32_t>(levels.size()) - 1, number});
  const auto groups = groups_of(frame.size);
  ShaderRun run{
      .code = kernel.code,
      .buffers = {{.binding = 0, .words = &uniform, .uniform = true}},
      .sources = {{.binding = 1, .size = frame.size, .levels = levels},
                  {.binding = 2, .size = frame.size, .channels = 4, .levels = {flat(frame.normals)}},
                  {.binding = 3, .size = frame.size, .channels = 4, .levels = {flat(frame.color)}}},
      .targets = {{.binding = 4, .size = frame.size, .channels = 4, .levels = std::vector<std::vector<float>>(1)},
                  {.binding = 5, .size = frame.size, .levels = std::vector<std::vector<float>>(1)}},
      .groups = {groups[0], groups[1], 1}};
  run_shader(run);
  return {run.targets[0].levels[0], run.targets[1].levels[0]};
}

double error_at(const std::vector<float>& radiance, size_t texel, Vec expected) {
  const float* light = &radiance[4 * texel];
  return std::max(
      {std::fabs(light[0] - expected.x), std::fabs(light[1] - expected.y), std::fabs(light[2] - expected.z)});
}

TEST_F(ReflectionShaders, MirrorsShowWhatTheScreenHas) {
  const Camera& camera = usual_camera(Projection::kReversedInfinite);
  const Scene scene = hall(0, 0);
  const Frame frame = render(scene, camera, {199, 121});
  int languages = 0;
  for (const SampleKernel& kernel : sample_kernels()) {
    if (kernel.sample != "reflection_march") continue;
    ++languages;
    const Rays rays = march(kernel, camera, frame, 0);
    uint32_t certain = 0, wrong = 0, unanswerable = 0, false_hits = 0;
    for (uint32_t i = 0; i < frame.shapes.size(); ++i) {
      const bool mirror = frame.shapes[i] >= 0 && frame.normals[i][3] <= 0.05F;
      ASSERT_EQ(rays.distances[i] < 0, frame.shapes[i] < 0 || frame.normals[i][3] > 0.6F) << kernel.name << " " << i;
      if (!mirror) continue;
      const uint32_t x = i % frame.size.width, y = i / frame.size.width;
      const Expected expected = expect_reflection(scene, camera, frame, x, y, 1, 0.05, {});
      unanswerable += expected.confidence == 0 ? 1 : 0;
      false_hits += expected.confidence == 0 && rays.distances[i] > 0 ? 1 : 0;
      if (!expected.certain || std::min({expected.u, expected.v, 1 - expected.u, 1 - expected.v}) < 0.06) continue;
      ++certain;
      const bool near = std::fabs(rays.distances[i] - expected.distance) < 0.1 * expected.distance;
      // The sample reads the nearest texel's colour.
      wrong += near && error_at(rays.radiance, i, expected.radiance) < 0.1 ? 0 : 1;
    }
    std::printf("%s: %u of %u wrong, %u of %u false hits\n", std::string(kernel.name).c_str(), wrong, certain,
                false_hits, unanswerable);
    EXPECT_GT(certain, 4000U);
    EXPECT_LT(wrong, 0.02 * certain) << kernel.name;
    EXPECT_GT(unanswerable, 500U);
    EXPECT_LT(false_hits, 0.2 * unanswerable) << kernel.name;
  }
  EXPECT_EQ(languages, 2);
}

// ---- The denoiser

const SampleKernel& denoise_kernel(std::string_view language, uint32_t step) {
  for (const SampleKernel& kernel : sample_kernels()) {
    const bool same = kernel.name.find(language) != std::string_view::npos && kernel.number("STEP", 9) == step;
    if (kernel.sample == "reflection_denoise" && same) return kernel;
  }
  ADD_FAILURE() << language << " " << step;
  return sample_kernels()[0];
}

constexpr size_t kWordsOfTexel = 12;

void denoise(const SampleKernel& kernel, const Camera& camera, const Frame& frame, const Rays& rays, bool reset,
             std::vector<uint32_t>& before, std::vector<uint32_t>& after) {
  const auto matrix = camera.matrix();
  const auto inverse = inverse_of(matrix);
  std::vector<uint32_t> uniform;
  append(uniform, inverse);
  append(uniform, matrix);
  append(uniform, inverse);
  uniform.insert(uniform.end(), {frame.size.width, frame.size.height, reset ? 1U : 0U, 0U});
  const auto groups = groups_of(frame.size);
  after.assign(frame.depth.size() * kWordsOfTexel, 0x7FC00000U);  // NaN
  ShaderRun run{.code = kernel.code,
                .buffers = {{.binding = 0, .words = &uniform, .uniform = true},
                            {.binding = 5, .words = &before},
                            {.binding = 6, .words = &after}},
                .sources = {{.binding = 1, .size = frame.size, .levels = {frame.depth}},
                            {.binding = 2, .size = frame.size, .channels = 4, .levels = {flat(frame.normals)}},
                            {.binding = 3, .size = frame.size, .channels = 4, .levels = {rays.radiance}},
                            {.binding = 4, .size = frame.size, .levels = {rays.distances}}},
                .groups = {groups[0], groups[1], 1}};
  run_shader(run);
}

std::vector<float> radiance_of(const std::vector<uint32_t>& texels) {
  std::vector<float> radiance(texels.size() / kWordsOfTexel * 4);
  for (size_t i = 0; i < radiance.size() / 4; ++i) std::memcpy(&radiance[4 * i], &texels[kWordsOfTexel * i], 16);
  return radiance;
}

TEST_F(ReflectionShaders, FramesAndTexelsRemoveTheNoise) {
  const Camera& camera = usual_camera(Projection::kReversedInfinite);
  const Scene scene = hall(0.5, 0.5);
  const Frame frame = render(scene, camera, {75, 53});
  std::vector<std::pair<size_t, Vec>> truth;
  for (uint32_t i = 0; i < frame.shapes.size(); i += 3) {
    if (frame.shapes[i] < 0 || frame.normals[i][3] > 0.6F) continue;
    const uint32_t x = i % frame.size.width, y = i / frame.size.width;
    // Where the screen has most of the answer: the sample's confidence fades at the borders.
    const Expected expected = expect_reflection(scene, camera, frame, x, y, 256, 0.05, {});
    if (expected.confidence > 0.8) truth.emplace_back(i, expected.radiance);
  }
  ASSERT_GT(truth.size(), 100U);
  const auto rmse = [&](const std::vector<float>& radiance) {
    double squares = 0;
    for (const auto& [texel, expected] : truth) squares += std::pow(error_at(radiance, texel, expected), 2);
    return std::sqrt(squares / static_cast<double>(truth.size()));
  };
  for (const std::string_view language : {"comp", "hlsl"}) {
    const SampleKernel* marching = nullptr;
    for (const SampleKernel& kernel : sample_kernels()) {
      const bool same = kernel.name.find(language) != std::string_view::npos;
      if (kernel.sample == "reflection_march" && same) marching = &kernel;
    }
    ASSERT_NE(marching, nullptr);
    std::vector<uint32_t> last(frame.depth.size() * kWordsOfTexel, 0x7FC00000U);
    std::vector<uint32_t> next;
    std::vector<double> noisy, joined, filtered;
    for (uint32_t n = 0; n < 12; ++n) {
      const Rays rays = march(*marching, camera, frame, n);
      noisy.push_back(rmse(rays.radiance));
      denoise(denoise_kernel(language, 0), camera, frame, rays, n == 0, last, next);
      last = next;
      joined.push_back(rmse(radiance_of(last)));
      std::vector<uint32_t> pass = last;
      for (const uint32_t step : {1U, 2U, 4U}) {
        denoise(denoise_kernel(language, step), camera, frame, rays, false, pass, next);
        pass = next;
      }
      filtered.push_back(rmse(radiance_of(pass)));
    }
    std::printf("%s: rays %.3f, filtered %.3f; after 12 frames %.3f, filtered %.3f\n", std::string(language).c_str(),
                noisy[0], filtered[0], joined.back(), filtered.back());
    EXPECT_LT(filtered[0], 0.4 * noisy[0]) << language;
    EXPECT_LT(joined.back(), 0.5 * joined[0]) << language;
    EXPECT_LT(filtered.back(), 0.7 * filtered[0]) << language;
  }
}

}  // namespace
}  // namespace onepass::testing
