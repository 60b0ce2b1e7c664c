// fourier_vulkan_bench.hpp: the benchmarks of transforms on the Vulkan engine, registered with Google Benchmark.
#pragma once

#include <memory>
#include <vector>

#include "fourier_cases.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// Measures benchmarks, keeping memory and transforms from one to the next as long as they fit.
class FourierVulkanRunner {
 public:
  /// Works on the runner's device, with its timer; frees its images first. The runner outlives this.
  explicit FourierVulkanRunner(VulkanRunner& runner);
  FourierVulkanRunner(const FourierVulkanRunner&) = delete;
  FourierVulkanRunner& operator=(const FourierVulkanRunner&) = delete;
  ~FourierVulkanRunner();

  /// Checks spectrum and target of the transform against the CPU engine's, unless that was done before, then times it
  /// in turns with a copy of the same bytes. Of creations, the host's time.
  /// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const FourierVulkanBenchmark& benchmark);

  /// What the last row has to say besides: how the reference copies, how long the first creation took.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  struct Work;  // what belongs to one set of memory
  Result<void> prepare_memory(const FourierVulkanBenchmark& benchmark);
  Result<void> choose_copy();
  Result<void> prepare_transform(const FourierVulkanBenchmark& benchmark);
  Result<void> run_everywhere(const VulkanTechnique& technique);
  Result<void> make_expected();
  Result<void> verify(const FourierVulkanBenchmark& benchmark, const VulkanTechnique& technique);
  Result<Times> time_creation(const FourierVulkanBenchmark& benchmark);

  VulkanRunner& runner_;
  std::unique_ptr<Work> work_;
  std::string note_;
};

/// Registers `benchmarks`; each adds its row to the report, or a failure. Without a runner they can be listed only.
void register_fourier_vulkan(const std::vector<FourierVulkanBenchmark>& benchmarks, FourierVulkanRunner* runner,
                             Report& report);

}  // namespace onepass::bench
