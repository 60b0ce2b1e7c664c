// stopwatch.cpp: brackets each of four subjects (full, tiles first, making the tiles, both) with two timestamps:
//
// warm    barrier, commands, barrier, [timestamp], commands, barrier, [timestamp]
// cold    read another buffer, barrier, [timestamp], commands, barrier, [timestamp]
#include "stopwatch.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "kernels/evict_comp.h"

namespace samples::particles {
namespace {

using Commands = std::function<void(VkCommandBuffer)>;

// Several times the last-level cache of any GPU. Times of software devices depend on it little: a smaller buffer saves
// time.
constexpr uint64_t kEvictBytes = 512'000'000;
constexpr uint64_t kEvictBytesSoftware = 32'000'000;
constexpr double kWarmUpUs = 50'000;  // work that raises the clocks
constexpr int kMostWarmUps = 200;
constexpr uint32_t kSubjects = 4;

std::array<Commands, kSubjects> subjects(const Renderer& renderer) {
  const auto full = [&](VkCommandBuffer c) { renderer.record_draw(c, DepthTest::kFullResolution); };
  const auto tile_first = [&](VkCommandBuffer c) { renderer.record_draw(c, DepthTest::kTileFirst); };
  const auto build = [&](VkCommandBuffer c) { renderer.record_build(c); };
  const auto both = [&](VkCommandBuffer c) {
    renderer.record_build(c);
    renderer.gpu().barrier(
        c, {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT},
        {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT});
    renderer.record_draw(c, DepthTest::kTileFirst);
  };
  return {full, tile_first, build, both};
}

Times times_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

}  // namespace

Stopwatch::Stopwatch(Gpu& gpu) : gpu_(gpu), queries_(gpu.timestamps(2 * kSubjects)) {
  const uint64_t wanted = gpu.device().info().software ? kEvictBytesSoftware : kEvictBytes;
  const uint64_t bytes = std::min<uint64_t>(wanted, gpu.limits().maxStorageBufferRange) / 16 * 16;
  other_ = gpu.buffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, Memory::kDevice);
  // Specialization constant of evict.comp: FILL.
  const Pipeline fill = gpu.compute(kernel_evict_comp, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, 0, {1});
  read_ = gpu.compute(kernel_evict_comp, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, 0, {0});
  set_ = gpu.descriptors(read_, {other_.handle});
  gpu.run([&](VkCommandBuffer commands) { evict(commands, fill); });
}

void Stopwatch::evict(VkCommandBuffer commands, const Pipeline& pipeline) const {
  constexpr uint64_t kGroupBytes = uint64_t{256} * 8 * 16;  // invocations, items, bytes: evict.comp
  const auto groups = static_cast<uint32_t>((other_.size + kGroupBytes - 1) / kGroupBytes);
  gpu_.dispatch(commands, pipeline, set_, {}, groups);
}

Timings Stopwatch::measure(const Renderer& renderer, Caches caches, uint32_t frames) const {
  double spent = 0;
  for (int i = 0; i < kMostWarmUps && spent < kWarmUpUs; ++i) {
    for (const double time : frame(renderer, Caches::kWarm)) spent += 2 * time;
  }
  std::array<std::vector<double>, kSubjects> all;
  for (uint32_t i = 0; i < frames; ++i) {
    const std::vector<double> times = frame(renderer, caches);
    for (uint32_t s = 0; s < kSubjects; ++s) all[s].push_back(times[s]);
  }
  return {times_of(all[0]), times_of(all[1]), times_of(all[2]), times_of(all[3])};
}

// Microseconds of each of the four subjects.
std::vector<double> Stopwatch::frame(const Renderer& renderer, Caches caches) const {
  const auto& vk = gpu_.vk;
  const auto all = subjects(renderer);
  gpu_.run([&](VkCommandBuffer commands) {
    vk.vkCmdResetQueryPool(commands, queries_, 0, 2 * kSubjects);
    for (uint32_t s = 0; s < kSubjects; ++s) {
      gpu_.full_barrier(commands);
      if (caches == Caches::kCold) {
        evict(commands, read_);
      } else {
        all[s](commands);
      }
      gpu_.full_barrier(commands);
      vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 2 * s);
      all[s](commands);
      gpu_.full_barrier(commands);
      vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 2 * s + 1);
    }
  });
  std::array<uint64_t, 2 * kSubjects> ticks{};
  Gpu::require(vk.vkGetQueryPoolResults(gpu_.handle(), queries_, 0, 2 * kSubjects, sizeof(ticks), ticks.data(),
                                        sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "vkGetQueryPoolResults");
  std::vector<double> times(kSubjects);
  for (uint32_t s = 0; s < kSubjects; ++s) {
    times[s] = static_cast<double>(ticks[2 * s + 1] - ticks[2 * s]) * gpu_.nanoseconds_per_tick() * 1e-3;
  }
  return times;
}

}  // namespace samples::particles
