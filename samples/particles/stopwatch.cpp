// stopwatch.cpp: see stopwatch.hpp.
//
// warm    barrier, commands, barrier, [timestamp], commands, barrier, [timestamp]
// cold    read another buffer, barrier, [timestamp], commands, barrier, [timestamp]
#include "stopwatch.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "kernels/sample_particles_evict.h"

namespace onepass::particles {
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
    bench::stage_barrier(renderer.gpu(), c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    renderer.record_draw(c, DepthTest::kTileFirst);
  };
  return {full, tile_first, build, both};
}

}  // namespace

Result<std::unique_ptr<Stopwatch>> Stopwatch::create(const bench::Gpu& gpu) {
  std::unique_ptr<Stopwatch> out(new Stopwatch(gpu));
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * kSubjects;
  const VkResult result = gpu.vk().vkCreateQueryPool(gpu.handle(), &info, nullptr, &out->queries_);
  if (result != VK_SUCCESS) return vulkan::vulkan_error(result, "vkCreateQueryPool");
  if (auto created = out->create_evictor(); !created) return created.error();
  return out;
}

Stopwatch::~Stopwatch() { gpu_.vk().vkDestroyQueryPool(gpu_.handle(), queries_, nullptr); }

Result<void> Stopwatch::create_evictor() {
  const uint64_t most = gpu_.software() ? kEvictBytesSoftware : kEvictBytes;
  const uint64_t bytes = std::min<uint64_t>(most, gpu_.impl().limits.maxStorageBufferRange) / 16 * 16;
  auto buffer = vulkan::Buffer::create(gpu_.impl(), bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
  if (!buffer) return buffer.error();
  other_ = std::move(*buffer);
  bench::PipelineRequest request;
  request.code = kernel_sample_particles_evict;
  request.bindings = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  for (const uint32_t fill : {1U, 0U}) {
    request.constants = {fill};
    auto pipeline = bench::ComputePipeline::create(gpu_, request);
    if (!pipeline) return pipeline.error();
    (fill == 1 ? fill_ : read_) = std::move(*pipeline);
  }
  auto sets = bench::DescriptorSets::create(gpu_, *read_, request.bindings, 1);
  if (!sets) return sets.error();
  sets_ = std::move(*sets);
  sets_->write_buffer(0, 0, other_.buffer);
  return gpu_.device().run([&](VkCommandBuffer commands) {
    evict(commands, true);
    bench::full_barrier(gpu_, commands);
  });
}

void Stopwatch::evict(VkCommandBuffer commands, bool fill) const {
  constexpr uint64_t kGroupBytes = uint64_t{256} * 8 * 16;  // invocations, items, bytes: bench/evict.comp
  const auto groups = static_cast<uint32_t>((other_.size + kGroupBytes - 1) / kGroupBytes);
  (fill ? fill_ : read_)->dispatch(commands, (*sets_)[0], {}, groups);
}

Result<Timings> Stopwatch::measure(const Renderer& renderer, Caches caches, uint32_t frames) const {
  double spent = 0;
  for (int i = 0; i < kMostWarmUps && spent < kWarmUpUs; ++i) {
    auto times = frame(renderer, Caches::kWarm);
    if (!times) return times.error();
    for (const double time : *times) spent += 2 * time;
  }
  std::array<std::vector<double>, kSubjects> all;
  for (uint32_t i = 0; i < frames; ++i) {
    auto times = frame(renderer, caches);
    if (!times) return times.error();
    for (uint32_t s = 0; s < kSubjects; ++s) all[s].push_back((*times)[s]);
  }
  return Timings{bench::times_of(all[0]), bench::times_of(all[1]), bench::times_of(all[2]), bench::times_of(all[3])};
}

// Microseconds of each of the four subjects.
Result<std::vector<double>> Stopwatch::frame(const Renderer& renderer, Caches caches) const {
  const auto& vk = gpu_.vk();
  const auto all = subjects(renderer);
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    vk.vkCmdResetQueryPool(commands, queries_, 0, 2 * kSubjects);
    for (uint32_t s = 0; s < kSubjects; ++s) {
      bench::full_barrier(gpu_, commands);
      if (caches == Caches::kCold) {
        evict(commands, false);
      } else {
        all[s](commands);
      }
      bench::full_barrier(gpu_, commands);
      vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 2 * s);
      all[s](commands);
      bench::full_barrier(gpu_, commands);
      vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 2 * s + 1);
    }
  });
  if (!ran) return ran.error();
  std::array<uint64_t, 2 * kSubjects> ticks{};
  const VkResult result =
      vk.vkGetQueryPoolResults(gpu_.handle(), queries_, 0, 2 * kSubjects, sizeof(ticks), ticks.data(), sizeof(uint64_t),
                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  if (result != VK_SUCCESS) return vulkan::vulkan_error(result, "vkGetQueryPoolResults");
  const double tick_us = static_cast<double>(gpu_.impl().limits.timestampPeriod) * 1e-3;
  std::vector<double> times(kSubjects);
  for (uint32_t s = 0; s < kSubjects; ++s) {
    times[s] = static_cast<double>(ticks[2 * s + 1] - ticks[2 * s]) * tick_us;
  }
  return times;
}

}  // namespace onepass::particles
