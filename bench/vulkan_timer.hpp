// vulkan_timer.hpp: how long commands take, by the GPU's own clock.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "statistics.hpp"
#include "vulkan_technique.hpp"

namespace onepass::bench {

/// How often things are repeated.
struct Schedule {
  uint32_t records = 40;    ///< Timed in a row; fewer where one moves more than a gigabyte.
  uint32_t untimed = 2;     ///< Before them in the same command buffer: pipelines and counters are then in caches.
  uint32_t rounds = 7;      ///< Of which the median is taken. A round times the case, then its reference.
  double warm_up_ms = 300;  ///< Of work before the first round: idle clocks take 250 to rise.
};

/// Times of a technique and of a reference on the same images, taken in turns.
struct Comparison {
  Times technique;
  Times reference;
};

class VulkanTimer {
 public:
  static Result<std::unique_ptr<VulkanTimer>> create(const Gpu& gpu, const Schedule& schedule);
  VulkanTimer(const VulkanTimer&) = delete;
  VulkanTimer& operator=(const VulkanTimer&) = delete;
  ~VulkanTimer();

  /// The most sets that a run makes use of.
  [[nodiscard]] uint32_t most_sets() const;

  Result<Comparison> compare(MemorySets& sets, const VulkanTechnique& technique, const VulkanTechnique& reference,
                             Mode mode);

 private:
  class Evictor;
  VulkanTimer(const Gpu& gpu, const Schedule& schedule);

  Result<void> warm_up(MemorySets& sets, const VulkanTechnique& technique, Mode mode);
  Result<bool> clocks_are_up();
  Result<std::vector<double>> round(MemorySets& sets, const VulkanTechnique& technique, Mode mode);
  Result<double> throughput(MemorySets& sets, const VulkanTechnique& technique, bool cold);
  Result<std::vector<double>> isolated(MemorySets& sets, const VulkanTechnique& technique);
  [[nodiscard]] uint32_t records_for(const VulkanTechnique& technique) const;
  void evict(VkCommandBuffer commands, const MemorySets& sets) const;
  void write_timestamp(VkCommandBuffer commands, uint32_t query) const;
  Result<std::vector<double>> read_timestamps(uint32_t count) const;

  const Gpu& gpu_;
  Schedule schedule_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::unique_ptr<Evictor> evictor_;
  double fastest_ = std::numeric_limits<double>::infinity();  // microseconds of what clocks_are_up() times
  size_t next_set_ = 0;  // goes on from run to run, so that the set used longest ago is always next
};

}  // namespace onepass::bench
