// reflection_plan_test.cpp: options and sizes of reflections, and their noise.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/reflection.hpp"
#include "reflection/blue_noise.hpp"

namespace onepass::testing {
namespace {

ReflectionOptions usual() {
  return {.size = {100, 61},
          .slices = 2,
          .color = Format::kRGBA16Sfloat,
          .depth = Format::kD32Sfloat,
          .pyramid = Format::kRG32Sfloat,
          .normals = Format::kRGBA16Sfloat,
          .roughness = Format::kRGBA8Unorm,
          .roughness_channel = 1};
}

TEST(ReflectionPlan, CountsEveryByte) {
  const auto plan = plan_reflection(usual());
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->levels, 6U);  // 50x30, 25x15, 12x7, 6x3, 3x1, 1x1
  EXPECT_EQ(plan->traced, (Extent{100, 61}));
  EXPECT_EQ(plan->tiles, (Extent{13, 8}));
  EXPECT_EQ(plan->dispatches, 8U);
  const auto part = [](uint64_t bytes) { return (bytes + 255) / 256 * 256; };
  const uint64_t texels = 100 * 61 * 2, tiles = 13 * 8 * 2;
  EXPECT_EQ(plan->scratch_bytes, part(64 + 64 * 384 + 8 * tiles) + 2 * part(16 * texels) + part(24 * texels));
  ReflectionOptions one = usual();
  one.size = {1, 1};
  one.pyramid = Format::kUndefined;
  one.filter_passes = 0;
  const auto least = plan_reflection(one);
  ASSERT_TRUE(least) << least.error().text();
  EXPECT_EQ(least->levels, 0U);
  EXPECT_EQ(least->dispatches, 5U);
}

TEST(ReflectionPlan, HalfResolutionHasAQuarterOfTheTexels) {
  ReflectionOptions options = usual();
  options.resolution = ReflectionResolution::kHalf;
  const auto plan = plan_reflection(options);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->levels, 6U);
  EXPECT_EQ(plan->traced, (Extent{50, 31}));
  EXPECT_EQ(plan->tiles, (Extent{7, 4}));
  EXPECT_EQ(plan->dispatches, 8U);
  const auto part = [](uint64_t bytes) { return (bytes + 255) / 256 * 256; };
  const uint64_t texels = 50 * 31 * 2, tiles = 7 * 4 * 2;
  EXPECT_EQ(plan->scratch_bytes, part(64 + 64 * 384 + 8 * tiles) + 2 * part(16 * texels) + part(24 * texels));
}

TEST(ReflectionPlan, NamesTheFieldAndItsValue) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  using Change = std::function<void(ReflectionOptions&)>;
  const std::pair<Change, const char*> cases[] = {
      {[](auto& o) { o.size.width = 0; }, "size.width: 0"},
      {[](auto& o) { o.size.height = 16385; }, "size.height: 16385"},
      {[](auto& o) { o.slices = 65; }, "slices: 65"},
      {[](auto& o) {
         o.size = {16384, 16384}, o.slices = 4;
       },
       "size: 16384x16384 in 4 slices"},
      {[](auto& o) { o.color = Format::kUndefined; }, "color: 0"},
      {[](auto& o) { o.color = Format::kD32Sfloat; }, "color: d32_sfloat"},
      {[](auto& o) { o.depth = Format::kRG32Sfloat; }, "depth: r32g32_sfloat"},
      {[](auto& o) { o.depth = Format::kR8Unorm; }, "depth: r8_unorm"},
      {[](auto& o) { o.pyramid = Format::kUndefined; }, "pyramid: 0"},
      {[](auto& o) { o.pyramid = Format::kRGBA32Sfloat; }, "pyramid: r32g32b32a32_sfloat"},
      {[](auto& o) { o.normals = Format::kRG16Sfloat; }, "normals: r16g16_sfloat has 2 channels, but 3"},
      {[](auto& o) { o.normals = Format::kRGBA8Unorm; }, "normals: r8g8b8a8_unorm has no negative numbers"},
      {[](auto& o) { o.roughness = Format::kR8Unorm; }, "roughness: r8_unorm has 1 channels, but 2"},
      {[](auto& o) { o.roughness_channel = 4; }, "roughness_channel: 4"},
      {[](auto& o) { o.motion = Format::kR16Sfloat; }, "motion: r16_sfloat has 1 channels, but 2"},
      {[](auto& o) { o.environment = Format::kR16Sfloat; }, "environment: r16_sfloat has 1 channels, but 3"},
      {[](auto& o) { o.hit_distance = Format::kR8Unorm; }, "hit_distance: 9"},
      {[](auto& o) { o.footprint = Footprint::kAligned; }, "footprint: aligned"},
      {[](auto& o) { o.footprint = static_cast<Footprint>(9); }, "footprint: 9"},
      {[](auto& o) { o.rays = static_cast<ReflectionRays>(4); }, "rays: 4"},
      {[](auto& o) { o.resolution = static_cast<ReflectionResolution>(2); }, "resolution: 2"},
      {[](auto& o) { o.normal_encoding = static_cast<NormalEncoding>(3); }, "normal_encoding: 3"},
      {[](auto& o) { o.color_frame = static_cast<ReflectionColor>(2); }, "color_frame: 2"},
      {[](auto& o) { o.motion_scale[1] = kNan; }, "motion_scale[1]: nan is not within -1e+06 and 1e+06"},
      {[](auto& o) { o.mirror_roughness = -0.5F; }, "mirror_roughness: -0.5 is not within 0 and 1"},
      {[](auto& o) { o.max_roughness = 1.5F; }, "max_roughness: 1.5 is not within 0 and 1"},
      {[](auto& o) { o.thickness = -1; }, "thickness: -1 is not within 0 and 1e+30"},
      {[](auto& o) { o.relative_thickness = kNan; }, "relative_thickness: nan"},
      {[](auto& o) { o.relative_thickness = 1.0000001F; }, "relative_thickness: 1.0000001 is not within 0 and 1"},
      {[](auto& o) { o.border_fade = 0.75F; }, "border_fade: 0.75 is not within 0 and 0.5"},
      {[](auto& o) { o.max_steps = 0; }, "max_steps: 0"},
      {[](auto& o) { o.history_frames = 0; }, "history_frames: 0"},
      {[](auto& o) { o.history_deviations = -1; }, "history_deviations: -1 is not within 0 and 1e+06"},
      {[](auto& o) { o.filter_passes = 6; }, "filter_passes: 6"},
      {[](auto& o) { o.filter_radius = 5; }, "filter_radius: 5 is not within 0 and 4"},
  };
  for (const auto& [change, text] : cases) {
    ReflectionOptions options = usual();
    change(options);
    const auto plan = plan_reflection(options);
    ASSERT_FALSE(plan) << text;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(plan.error().message.find(text), 0U) << plan.error().message << ", expected: " << text;
  }
}

// Share of the power of the texels below a threshold that lies in frequencies up to a quarter of the highest one, by
// the sum of the definition; of white noise it is the share of these frequencies.
double low_share(const std::vector<uint16_t>& ranks, uint32_t side, uint32_t threshold) {
  const double mean = static_cast<double>(threshold) / (side * side);
  double low = 0, all = 0;
  const int reach = static_cast<int>(side / 8);
  for (uint32_t i = 0; i < ranks.size(); ++i) {
    const double value = (ranks[i] < threshold ? 1 : 0) - mean;
    all += value * value * side * side;  // Parseval
  }
  for (int v = -reach; v <= reach; ++v) {
    for (int u = -reach; u <= reach; ++u) {
      std::complex<double> sum;
      for (uint32_t i = 0; i < ranks.size(); ++i) {
        const double angle =
            -2 * 3.14159265358979 * (u * static_cast<double>(i % side) + v * static_cast<double>(i / side)) / side;
        sum += ((ranks[i] < threshold ? 1 : 0) - mean) * std::polar(1.0, angle);
      }
      low += std::norm(sum);
    }
  }
  return low / all;
}

TEST(ReflectionNoise, IsAPermutationWithoutLowFrequencies) {
  constexpr uint32_t kSide = 64;
  const auto ranks = reflection::blue_noise_ranks(kSide, 1);
  std::vector<uint16_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  for (uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
  // White noise: 17 * 17 / 64 / 64 = 0.07.
  for (const uint32_t threshold : {256U, 1024U, 2048U, 3584U}) {
    EXPECT_LT(low_share(ranks, kSide, threshold), 0.014) << threshold;
  }
  EXPECT_NE(ranks, reflection::blue_noise_ranks(kSide, 2));
}

TEST(ReflectionNoise, IsTheSameOnEveryMachine) {
  uint64_t hash = 1469598103934665603U;
  for (const uint32_t word : reflection::blue_noise_words()) hash = (hash ^ word) * 1099511628211U;
  EXPECT_EQ(hash, 8302635371553766243U);
}

}  // namespace
}  // namespace onepass::testing
