// tiles.cpp: times the methods of M. Turitzin, "Hierarchical Depth Buffers", 2020: a chain by one pass per level, and
// tiles of 16x16 texels by workgroups of 8x8 to 2x2 threads.
#include "tiles.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"

namespace samples::frame {
namespace {

namespace ov = onepass::vulkan;

using Commands = std::function<void(VkCommandBuffer)>;

class Stopwatch {
 public:
  Stopwatch(Gpu& gpu, uint32_t repeats) : gpu_(gpu), stamps_(gpu.timestamps(2)), repeats_(repeats) {}

  [[nodiscard]] double median(const Commands& commands) const {
    std::vector<double> times;
    for (uint32_t i = 0; i <= repeats_; ++i) {
      gpu_.run([&](VkCommandBuffer c) {
        gpu_.vk.vkCmdResetQueryPool(c, stamps_, 0, 2);
        commands(c);  // warm caches
        gpu_.full_barrier(c);
        gpu_.vk.vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, 0);
        commands(c);
        gpu_.full_barrier(c);
        gpu_.vk.vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, 1);
      });
      std::array<uint64_t, 2> ticks{};
      Gpu::require(gpu_.vk.vkGetQueryPoolResults(gpu_.handle(), stamps_, 0, 2, sizeof(ticks), ticks.data(),
                                                 sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                   "vkGetQueryPoolResults");
      const double time = static_cast<double>(ticks[1] - ticks[0]) * gpu_.nanoseconds_per_tick() * 1e-3;
      if (i > 0) times.push_back(time);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

 private:
  const Gpu& gpu_;
  VkQueryPool stamps_;
  uint32_t repeats_;
};

Image make_target(Gpu& gpu, const Targets& targets, onepass::Extent size, uint32_t levels) {
  const Image image = gpu.image(VK_FORMAT_R32_SFLOAT, size, levels,
                                VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, targets.eyes);
  gpu.run([&](VkCommandBuffer commands) {
    gpu.transition(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                   VK_IMAGE_LAYOUT_GENERAL, kComputeBoth);
  });
  return image;
}

// `levels` without level 0; 0: all.
double time_pyramid(Gpu& gpu, const Targets& targets, const Stopwatch& watch, ov::PyramidTuning tuning,
                    uint32_t levels) {
  const auto pyramid = value_of(ov::Pyramid::create(gpu.device(),
                                                    {.size = targets.size,
                                                     .slices = targets.eyes,
                                                     .levels = levels > 0 ? levels + 1 : 0,
                                                     .source = static_cast<onepass::Format>(targets.depth.format),
                                                     .target = onepass::Format::kR32Sfloat,
                                                     .reduction = onepass::Reduction::kMax},
                                                    tuning));
  const Image image = make_target(gpu, targets, onepass::level_size(targets.size, 1), pyramid.plan().levels - 1);
  const auto binding = value_of(pyramid.bind(
      {.source = targets.depth.handle, .source_layout = kDepthRead, .target = image.handle, .target_level = 0}));
  gpu.run([&](VkCommandBuffer commands) { pyramid.record_reset(commands, binding); });
  return watch.median([&](VkCommandBuffer commands) { pyramid.record(commands, binding); });
}

double time_tile_reduction(Gpu& gpu, const Targets& targets, const Stopwatch& watch, uint32_t gathers) {
  const auto tiles = value_of(ov::TileReduction::create(gpu.device(),
                                                        {.size = targets.size,
                                                         .slices = targets.eyes,
                                                         .source = static_cast<onepass::Format>(targets.depth.format),
                                                         .target = onepass::Format::kR32Sfloat,
                                                         .reduction = onepass::Reduction::kMax,
                                                         .factor = 16},
                                                        {.gathers = gathers}));
  const Image image = make_target(gpu, targets, tiles.plan().size, 1);
  const auto binding =
      value_of(tiles.bind({.source = targets.depth.handle, .source_layout = kDepthRead, .target = image.handle}));
  return watch.median([&](VkCommandBuffer commands) { tiles.record(commands, binding); });
}

}  // namespace

std::vector<TileTime> time_tiles(Gpu& gpu, const Targets& targets, uint32_t repeats) {
  const Stopwatch watch(gpu, repeats);
  const ov::PyramidTuning per_level{.path = onepass::PyramidPath::kPerLevel};
  std::vector<TileTime> times;
  times.push_back({"all levels, one dispatch per level", time_pyramid(gpu, targets, watch, per_level, 0)});
  times.push_back({"all levels, one dispatch", time_pyramid(gpu, targets, watch, {}, 0)});
  times.push_back({"levels 1 to 4, one dispatch per level", time_pyramid(gpu, targets, watch, per_level, 4)});
  times.push_back({"levels 1 to 4, one dispatch", time_pyramid(gpu, targets, watch, {}, 4)});
  // An invocation gathers blocks of 2x2 texels: 1 is 8x8 invocations per tile of 16x16, 16 is 2x2.
  constexpr std::array<std::pair<uint32_t, const char*>, 6> kShapes{
      {{1, "8x8"}, {2, "8x4"}, {4, "4x4"}, {8, "4x2"}, {16, "2x2"}, {0, "the default number of"}}};
  for (const auto& [gathers, shape] : kShapes) {
    times.push_back({std::string("tiles of 16x16, ") + shape + " invocations each",
                     time_tile_reduction(gpu, targets, watch, gathers)});
  }
  return times;
}

void print_tiles(const std::vector<TileTime>& times) {
  std::printf("\n%-52s %10s\n", "nearest depths, microseconds", "median");
  for (const TileTime& time : times) std::printf("%-52s %10.1f\n", time.name.c_str(), time.microseconds);
}

}  // namespace samples::frame
