// light_vulkan_bench.hpp: the benchmarks of metering and tone mapping on the Vulkan engine, registered with Google
// Benchmark.
#pragma once

#include <memory>
#include <vector>

#include "light_vulkan.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// Runs a technique in the state before a first image and compares results and picture with the CPU engine's.
/// Errors: kBadData for wrong output, with `name`.
Result<void> check_light(const Gpu& gpu, const LightSets& sets, const LightCase& light, const LightTechnique& technique,
                         const std::string& name);

/// Measures benchmarks. Reuses the images of the last benchmark if the next one needs the same.
class LightVulkanRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit LightVulkanRunner(VulkanRunner& runner) : runner_(runner) {}
  LightVulkanRunner(const LightVulkanRunner&) = delete;
  LightVulkanRunner& operator=(const LightVulkanRunner&) = delete;

  /// Compares results and picture with the CPU engine's, then times the case, alternating with its reference: for a
  /// meter a kernel that only reads the image, for a frame the meter followed by the tone map, for other tone maps a
  /// copy of as many bytes. Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const LightVulkanBenchmark& benchmark);

  /// Frees the images of the last measurement.
  void release() { sets_.reset(); }

 private:
  Result<void> prepare(const LightCase& light);

  VulkanRunner& runner_;
  std::unique_ptr<LightSets> sets_;
};

/// Registers `benchmarks`. Each adds its row or a failure to the report. With a null runner they can only be listed.
void register_light_vulkan(const std::vector<LightVulkanBenchmark>& benchmarks, LightVulkanRunner* runner,
                           Report& report);

}  // namespace onepass::bench
