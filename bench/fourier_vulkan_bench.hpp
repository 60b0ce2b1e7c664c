// fourier_vulkan_bench.hpp: the benchmarks of transforms on the Vulkan engine, registered with Google Benchmark.
#pragma once

#include <memory>
#include <vector>

#include "fourier_cases.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// Measures benchmarks. Reuses memory and transforms of the last benchmark if the next one needs the same.
class FourierVulkanRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own memory.
  explicit FourierVulkanRunner(VulkanRunner& runner);
  FourierVulkanRunner(const FourierVulkanRunner&) = delete;
  FourierVulkanRunner& operator=(const FourierVulkanRunner&) = delete;
  ~FourierVulkanRunner();

  /// Compares spectrum and target of the transform with the CPU engine's, unless that was done before. Then times the
  /// benchmark, alternating with a copy of the same bytes.
  /// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const FourierVulkanBenchmark& benchmark);

  /// A remark on the last row: how the reference copies.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  struct Work;  // a FourierSets and the objects that use it
  Result<void> prepare_memory(const FourierVulkanBenchmark& benchmark);
  Result<void> choose_copy();
  Result<void> prepare_transform(const FourierVulkanBenchmark& benchmark);
  Result<void> run_everywhere(const VulkanTechnique& technique);
  Result<void> verify(const FourierVulkanBenchmark& benchmark, const VulkanTechnique& technique);

  VulkanRunner& runner_;
  std::unique_ptr<Work> work_;
  std::string note_;
};

/// Registers `benchmarks`. Each adds its row or a failure to the report. With a null runner they can only be listed.
void register_fourier_vulkan(const std::vector<FourierVulkanBenchmark>& benchmarks, FourierVulkanRunner* runner,
                             Report& report);

}  // namespace onepass::bench
