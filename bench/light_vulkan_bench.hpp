// light_vulkan_bench.hpp: the benchmarks of metering and tone mapping on the Vulkan engine, registered with Google
// Benchmark.
#pragma once

#include <memory>
#include <vector>

#include "light_vulkan.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// Measures benchmarks, keeping images from one to the next as long as they fit.
class LightVulkanRunner {
 public:
  /// Works on the runner's device, with its timer; frees its images first. The runner outlives this.
  explicit LightVulkanRunner(VulkanRunner& runner) : runner_(runner) {}
  LightVulkanRunner(const LightVulkanRunner&) = delete;
  LightVulkanRunner& operator=(const LightVulkanRunner&) = delete;

  /// Checks results and picture against the CPU engine's, then times the case in turns with what it is compared with:
  /// a meter with a kernel that only reads the image, a frame with meter and map one after the other, other maps with a
  /// copy of as many bytes. Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const LightVulkanBenchmark& benchmark);

  /// Frees the images of the last measurement.
  void release() { sets_.reset(); }

 private:
  Result<void> prepare(const LightCase& light);
  Result<void> verify(const LightVulkanBenchmark& benchmark, const LightTechnique& technique);

  VulkanRunner& runner_;
  std::unique_ptr<LightSets> sets_;
};

/// Registers `benchmarks`; each adds its row to the report, or a failure. Without a runner they can be listed only.
void register_light_vulkan(const std::vector<LightVulkanBenchmark>& benchmarks, LightVulkanRunner* runner,
                           Report& report);

}  // namespace onepass::bench
