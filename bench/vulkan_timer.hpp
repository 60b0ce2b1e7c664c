// vulkan_timer.hpp: times commands with timestamps of the GPU.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "statistics.hpp"
#include "vulkan_technique.hpp"

namespace onepass::bench {

/// Numbers of repetitions.
struct Schedule {
  uint32_t records = 40;    ///< Timed in a row; a fifth of them if one record moves more than 10^9 bytes.
  uint32_t untimed = 2;     ///< Before them in the same command buffer, so that pipelines and counters are in caches.
  uint32_t rounds = 7;      ///< The median is over all rounds. A round times the case, then its reference.
  double warm_up_ms = 300;  ///< Milliseconds of work before the first round: idle clocks take 250 ms to rise.
};

/// Times of a technique and of a reference on the same images, in alternating rounds.
struct Comparison {
  Times technique;
  Times reference;
  Times ratio;  ///< Of the technique to the reference, round by round.
};

class VulkanTimer {
 public:
  static Result<std::unique_ptr<VulkanTimer>> create(const Gpu& gpu, const Schedule& schedule);
  VulkanTimer(const VulkanTimer&) = delete;
  VulkanTimer& operator=(const VulkanTimer&) = delete;
  ~VulkanTimer();

  /// The largest number of sets that a measurement uses.
  [[nodiscard]] uint32_t most_sets() const;

  Result<Comparison> compare(MemorySets& sets, const VulkanTechnique& technique, const VulkanTechnique& reference,
                             Mode mode);

  /// The same for work of another API on the same device. `round` runs `untimed` and then `records` times in a row, and
  /// returns the microseconds of one of the latter. Not for Mode::kIsolated.
  using OutsideRound = std::function<Result<double>(uint32_t untimed, uint32_t records, bool cold)>;
  Result<Comparison> compare(MemorySets& sets, const OutsideRound& round, const VulkanTechnique& reference, Mode mode);

 private:
  class Evictor;
  VulkanTimer(const Gpu& gpu, const Schedule& schedule);

  using Round = std::function<Result<std::vector<double>>()>;  // times of one record, in microseconds
  Result<Comparison> alternate(const Round& technique, const Round& reference, const Round& warm_up_work);
  Result<void> warm_up(const Round& work);
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
  double fastest_ = std::numeric_limits<double>::infinity();  // best time in clocks_are_up(), microseconds
  size_t next_set_ = 0;  // never reset, so that the next set is always the least recently used one
};

}  // namespace onepass::bench
