// cuda_light_bench.hpp: the benchmarks of metering and tone mapping on the CUDA engine, registered with Google
// Benchmark.
#pragma once

#include <memory>
#include <vector>

#include "light_vulkan.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// The cases of the Vulkan engine that the CUDA engine has: meters, tone maps, with local exposure too, and one after
/// the other.
[[nodiscard]] std::vector<LightVulkanBenchmark> cuda_light_benchmarks(bool all);

/// Measures benchmarks on the CUDA device that is the measured Vulkan device.
class CudaLightRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit CudaLightRunner(VulkanRunner& runner) : runner_(runner) {}
  CudaLightRunner(const CudaLightRunner&) = delete;
  CudaLightRunner& operator=(const CudaLightRunner&) = delete;

  /// Compares results and picture with the CPU engine's, then times CUDA graphs of records, alternating with the Vulkan
  /// engine's work on images of the same texels.
  /// Errors: kUnsupported without CUDA; kBadData for wrong output.
  Result<Row> measure(const LightVulkanBenchmark& benchmark);

 private:
  VulkanRunner& runner_;
  std::unique_ptr<LightSets> sets_;
};

/// Registers `benchmarks`. With a null runner they can only be listed.
void register_cuda_light(const std::vector<LightVulkanBenchmark>& benchmarks, CudaLightRunner* runner, Report& report);

}  // namespace onepass::bench
