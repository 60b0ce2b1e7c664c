// stopwatch.hpp: GPU times of drawing particles and of making the tiles, with warm and with cold caches.
#pragma once

#include <vector>

#include "renderer.hpp"

namespace samples::particles {

/// Contents of the caches before a timing.
enum class Caches {
  kWarm,  ///< Data of the same commands, which have just run.
  kCold,  ///< Another buffer, larger than the last-level cache.
};

/// Statistics of repeated timings, microseconds.
struct Times {
  double median = 0;  ///< Of an even number of timings, the upper one.
  double least = 0;
  double most = 0;
};

/// Microseconds of GPU time.
struct Timings {
  Times full;              ///< (a) Drawing, every particle tested at full resolution.
  Times tile_first;        ///< (b) Drawing, tiles tested first.
  Times build;             ///< Making the tiles.
  Times build_tile_first;  ///< Making the tiles, a barrier, and (b), which finds the tiles in a cache.

  /// The part of (a)'s time that (b) saves; below 0 if (b) costs more.
  [[nodiscard]] double gain() const { return 1.0 - tile_first.median / full.median; }
  [[nodiscard]] double gain_with_build() const { return 1.0 - build_tile_first.median / full.median; }
};

class Stopwatch {
 public:
  explicit Stopwatch(Gpu& gpu);

  /// Times the renderer's current particles: the four subjects one after the other, `frames` times.
  [[nodiscard]] Timings measure(const Renderer& renderer, Caches caches, uint32_t frames) const;

 private:
  void evict(VkCommandBuffer commands, const Pipeline& pipeline) const;
  [[nodiscard]] std::vector<double> frame(const Renderer& renderer, Caches caches) const;

  const Gpu& gpu_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  Buffer other_;  // larger than the last-level cache
  Pipeline read_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace samples::particles
