// vulkan_timer.cpp: times a technique and a reference in alternating rounds, in one of two modes:
//
// throughput   untimed, barrier, untimed, barrier, [timestamp], record, barrier, record, barrier, ... [timestamp]
// isolated     full barrier, [timestamp], record, full barrier, [timestamp], again on the next set, ...
//
// Cold: each record uses the next set of images. If all sets together are smaller than kColdBytes, a buffer larger than
// the caches is read first, and no set is used twice before that buffer is read again.
#include "vulkan_timer.hpp"

#include <algorithm>
#include <chrono>

#include "image/div_up.hpp"
#include "kernels/bench_evict.h"

namespace onepass::bench {
namespace {

constexpr uint32_t kMostTimestamps = 128;
constexpr uint64_t kManyBytes = 1'000'000'000;  // of one record; above it fewer records suffice

// After long waits for the host, clocks may stay low beyond the warm-up: those of an H200 were seen at two fifths for
// more than a second. A case therefore begins when a kernel of constant work takes at most kSlow times its best time,
// after kMostWaitMs at the latest. If the kernel is slower after the case, the case is measured again, up to
// kMostAttempts times in all.
constexpr double kSlow = 1.2;
constexpr double kMostWaitMs = 5000;
constexpr uint32_t kMostAttempts = 4;

// A round may have several times, and those of the two rounds may differ in number: the last ones are then left out.
Times ratios_of(const std::vector<double>& technique, const std::vector<double>& reference) {
  std::vector<double> ratios(std::min(technique.size(), reference.size()));
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] = technique[i] / reference[i];
  return times_of(std::move(ratios));
}

}  // namespace

/// A buffer larger than any cache, and a kernel that reads it.
class VulkanTimer::Evictor {
 public:
  static Result<std::unique_ptr<Evictor>> create(const Gpu& gpu) {
    auto out = std::make_unique<Evictor>();
    const uint64_t size = std::min<uint64_t>(kColdBytes, gpu.impl().limits.maxStorageBufferRange) / 16 * 16;
    auto buffer = vulkan::Buffer::create(gpu.impl(), size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
    if (!buffer) return buffer.error();
    out->buffer_ = std::move(*buffer);
    PipelineRequest request;
    request.code = kernel_bench_evict;
    request.bindings = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    request.constants = {1};
    auto fill = ComputePipeline::create(gpu, request);
    if (!fill) return fill.error();
    request.constants = {0};
    auto read = ComputePipeline::create(gpu, request);
    if (!read) return read.error();
    auto sets = DescriptorSets::create(gpu, **read, request.bindings, 1);
    if (!sets) return sets.error();
    (*sets)->write_buffer(0, 0, out->buffer_.buffer);
    auto ran = gpu.device().run([&](VkCommandBuffer commands) {
      (*fill)->dispatch(commands, (**sets)[0], {}, out->groups());
      full_barrier(gpu, commands);
    });
    if (!ran) return ran.error();
    out->read_ = std::move(*read);
    out->sets_ = std::move(*sets);
    return out;
  }

  void record(VkCommandBuffer commands) const { read_->dispatch(commands, (*sets_)[0], {}, groups()); }

 private:
  [[nodiscard]] uint32_t groups() const {
    constexpr uint64_t kGroupBytes = uint64_t{256} * 8 * 16;  // invocations, items, bytes: evict.comp
    return static_cast<uint32_t>(div_up(buffer_.size, kGroupBytes));
  }

  vulkan::Buffer buffer_;
  std::unique_ptr<ComputePipeline> read_;
  std::unique_ptr<DescriptorSets> sets_;
};

VulkanTimer::VulkanTimer(const Gpu& gpu, const Schedule& schedule) : gpu_(gpu), schedule_(schedule) {}

VulkanTimer::~VulkanTimer() { gpu_.vk().vkDestroyQueryPool(gpu_.handle(), queries_, nullptr); }

Result<std::unique_ptr<VulkanTimer>> VulkanTimer::create(const Gpu& gpu, const Schedule& schedule) {
  std::unique_ptr<VulkanTimer> out(new VulkanTimer(gpu, schedule));
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = kMostTimestamps;
  const VkResult result = gpu.vk().vkCreateQueryPool(gpu.handle(), &info, nullptr, &out->queries_);
  if (result != VK_SUCCESS) return vulkan::vulkan_error(result, "vkCreateQueryPool");
  // No evictor for a software device: it uses the CPU's caches, and its times mean little in any case.
  if (gpu.software()) return out;
  auto evictor = Evictor::create(gpu);
  if (!evictor) return evictor.error();
  out->evictor_ = std::move(*evictor);
  return out;
}

uint32_t VulkanTimer::most_sets() const {
  const uint32_t used_once = schedule_.untimed + schedule_.records;
  return gpu_.software() ? 3 : std::max(used_once, 64U);
}

Result<Comparison> VulkanTimer::compare(MemorySets& sets, const VulkanTechnique& technique,
                                        const VulkanTechnique& reference, Mode mode) {
  return alternate([&] { return round(sets, technique, mode); }, [&] { return round(sets, reference, mode); },
                   [&] { return round(sets, technique, mode == Mode::kIsolated ? Mode::kThroughput : mode); });
}

Result<Comparison> VulkanTimer::compare(MemorySets& sets, const OutsideRound& outside, const VulkanTechnique& reference,
                                        Mode mode) {
  const Round technique = [&]() -> Result<std::vector<double>> {
    auto time = outside(schedule_.untimed, records_for(reference), mode != Mode::kWarm);
    if (!time) return time.error();
    return std::vector<double>{*time};
  };
  return alternate(
      technique, [&] { return round(sets, reference, mode); }, technique);
}

Result<Comparison> VulkanTimer::alternate(const Round& technique, const Round& reference, const Round& warm_up_work) {
  std::vector<double> technique_times;
  std::vector<double> reference_times;
  const auto add = [&](const Round& what, std::vector<double>& times) -> Result<void> {
    auto measured = what();
    if (!measured) return measured.error();
    times.insert(times.end(), measured->begin(), measured->end());
    return {};
  };
  for (uint32_t attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (auto warm = warm_up(warm_up_work); !warm) return warm.error();
    technique_times.clear();
    reference_times.clear();
    for (uint32_t i = 0; i < schedule_.rounds; ++i) {
      if (auto added = add(technique, technique_times); !added) return added.error();
      if (auto added = add(reference, reference_times); !added) return added.error();
    }
    auto up = clocks_are_up();
    if (!up) return up.error();
    if (*up) break;
  }
  return Comparison{times_of(technique_times), times_of(reference_times), ratios_of(technique_times, reference_times)};
}

Result<void> VulkanTimer::warm_up(const Round& work) {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const auto begin = Clock::now();
  const auto passed = [&] { return Milliseconds(Clock::now() - begin).count(); };
  for (bool up = false; !up && passed() < schedule_.warm_up_ms + kMostWaitMs;) {
    while (passed() < schedule_.warm_up_ms) {
      if (auto time = work(); !time) return time.error();
    }
    auto now = clocks_are_up();
    if (!now) return now.error();
    up = *now;
  }
  return {};
}

Result<bool> VulkanTimer::clocks_are_up() {
  constexpr uint32_t kTimed = 4;
  if (!evictor_) return true;
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    gpu_.vk().vkCmdResetQueryPool(commands, queries_, 0, 2);
    for (uint32_t i = 0; i <= kTimed; ++i) {
      evictor_->record(commands);
      full_barrier(gpu_, commands);
      if (i == 0) write_timestamp(commands, 0);
    }
    write_timestamp(commands, 1);
  });
  if (!ran) return ran.error();
  auto times = read_timestamps(2);
  if (!times) return times.error();
  fastest_ = std::min(fastest_, (*times)[1]);
  return (*times)[1] <= kSlow * fastest_;
}

Result<std::vector<double>> VulkanTimer::round(MemorySets& sets, const VulkanTechnique& technique, Mode mode) {
  if (mode == Mode::kIsolated) return isolated(sets, technique);
  auto time = throughput(sets, technique, mode == Mode::kThroughput);
  if (!time) return time.error();
  return std::vector<double>{*time};
}

uint32_t VulkanTimer::records_for(const VulkanTechnique& technique) const {
  return technique.bytes() > kManyBytes ? (schedule_.records + 4) / 5 : schedule_.records;
}

void VulkanTimer::evict(VkCommandBuffer commands, const MemorySets& sets) const {
  if (evictor_ && !sets.larger_than_caches()) evictor_->record(commands);
  full_barrier(gpu_, commands);
}

void VulkanTimer::write_timestamp(VkCommandBuffer commands, uint32_t query) const {
  gpu_.vk().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, query);
}

// Microseconds since the first timestamp.
Result<std::vector<double>> VulkanTimer::read_timestamps(uint32_t count) const {
  std::vector<uint64_t> ticks(count);
  const VkResult result =
      gpu_.vk().vkGetQueryPoolResults(gpu_.handle(), queries_, 0, count, count * sizeof(uint64_t), ticks.data(),
                                      sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  if (result != VK_SUCCESS) return vulkan::vulkan_error(result, "vkGetQueryPoolResults");
  std::vector<double> times(count);
  const double tick_us = static_cast<double>(gpu_.impl().limits.timestampPeriod) * 1e-3;
  for (uint32_t i = 0; i < count; ++i) times[i] = static_cast<double>(ticks[i] - ticks[0]) * tick_us;
  return times;
}

Result<double> VulkanTimer::throughput(MemorySets& sets, const VulkanTechnique& technique, bool cold) {
  if (auto used = sets.use_sources_as(technique.source_layout()); !used) return used.error();
  const uint32_t records = records_for(technique);
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    gpu_.vk().vkCmdResetQueryPool(commands, queries_, 0, 2);
    if (cold) evict(commands, sets);
    for (uint32_t i = 0; i < schedule_.untimed + records; ++i) {
      if (i == schedule_.untimed) write_timestamp(commands, 0);
      technique.record(commands, cold ? next_set_++ % sets.count() : 0);
      stage_barrier(gpu_, commands, technique.stage());
    }
    write_timestamp(commands, 1);
  });
  if (!ran) return ran.error();
  auto times = read_timestamps(2);
  if (!times) return times.error();
  return (*times)[1] / records;
}

Result<std::vector<double>> VulkanTimer::isolated(MemorySets& sets, const VulkanTechnique& technique) {
  if (auto used = sets.use_sources_as(technique.source_layout()); !used) return used.error();
  const uint32_t records = std::min((records_for(technique) + 1) / 2, kMostTimestamps / 2);
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    gpu_.vk().vkCmdResetQueryPool(commands, queries_, 0, 2 * records);
    evict(commands, sets);
    technique.record(commands, next_set_++ % sets.count());  // untimed
    for (uint32_t i = 0; i < records; ++i) {
      full_barrier(gpu_, commands);
      write_timestamp(commands, 2 * i);
      technique.record(commands, next_set_++ % sets.count());
      full_barrier(gpu_, commands);
      write_timestamp(commands, 2 * i + 1);
    }
  });
  if (!ran) return ran.error();
  auto times = read_timestamps(2 * records);
  if (!times) return times.error();
  std::vector<double> each(records);
  for (size_t i = 0; i < records; ++i) each[i] = (*times)[2 * i + 1] - (*times)[2 * i];
  return each;
}

}  // namespace onepass::bench
