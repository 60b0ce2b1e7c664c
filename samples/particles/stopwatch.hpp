// stopwatch.hpp: GPU times of drawing particles and of making the tiles, with warm and with cold caches.
#pragma once

#include <memory>
#include <vector>

#include "renderer.hpp"
#include "statistics.hpp"

namespace onepass::particles {

/// Contents of the caches before a timing.
enum class Caches {
  kWarm,  ///< Data of the same commands, which have just run.
  kCold,  ///< Another buffer, larger than the last-level cache.
};

/// Microseconds of GPU time.
struct Timings {
  bench::Times full;              ///< (a) Drawing, every particle tested at full resolution.
  bench::Times tile_first;        ///< (b) Drawing, tiles tested first.
  bench::Times build;             ///< Making the tiles.
  bench::Times build_tile_first;  ///< Making the tiles, a barrier, and (b), which finds the tiles in a cache.

  /// The part of (a)'s time that (b) saves; below 0 if (b) costs more.
  [[nodiscard]] double gain() const { return 1.0 - tile_first.median / full.median; }
  [[nodiscard]] double gain_with_build() const { return 1.0 - build_tile_first.median / full.median; }
};

class Stopwatch {
 public:
  static Result<std::unique_ptr<Stopwatch>> create(const bench::Gpu& gpu);
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch();

  /// Times the renderer's current particles: the four subjects one after the other, `frames` times.
  Result<Timings> measure(const Renderer& renderer, Caches caches, uint32_t frames) const;

 private:
  explicit Stopwatch(const bench::Gpu& gpu) : gpu_(gpu) {}
  Result<void> create_evictor();
  void evict(VkCommandBuffer commands, bool fill) const;
  Result<std::vector<double>> frame(const Renderer& renderer, Caches caches) const;

  const bench::Gpu& gpu_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  vulkan::Buffer other_;  // larger than the last-level cache
  std::unique_ptr<bench::ComputePipeline> fill_, read_;
  std::unique_ptr<bench::DescriptorSets> sets_;
};

}  // namespace onepass::particles
