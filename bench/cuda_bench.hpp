// cuda_bench.hpp: the benchmarks of the CUDA engine, registered with Google Benchmark.
#pragma once

#include <memory>
#include <vector>

#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One benchmark.
struct CudaBenchmark {
  PyramidCase pyramid;
  bool one_launch = false;  ///< cuda::Launches::kOne.
  Mode mode = Mode::kThroughput;

  [[nodiscard]] std::string name() const;
};

/// All benchmarks: the cases of the Vulkan engine.
[[nodiscard]] std::vector<CudaBenchmark> cuda_benchmarks(bool all);

/// Measures benchmarks on the CUDA device that is the measured Vulkan device.
class CudaRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit CudaRunner(VulkanRunner& runner);
  CudaRunner(const CudaRunner&) = delete;
  CudaRunner& operator=(const CudaRunner&) = delete;
  ~CudaRunner();

  /// Compares the levels with the CPU engine's, then times CUDA graphs of records, alternating with the Vulkan engine's
  /// pyramid of an image of the same texels.
  /// Errors: kUnsupported without CUDA; kBadData for wrong output.
  Result<Row> measure(const CudaBenchmark& benchmark);

 private:
  struct Work;
  Result<void> prepare(const PyramidCase& pyramid);

  VulkanRunner& runner_;
  std::unique_ptr<Work> work_;
};

/// Registers `benchmarks`. With a null runner they can only be listed.
void register_cuda(const std::vector<CudaBenchmark>& benchmarks, CudaRunner* runner, Report& report);

}  // namespace onepass::bench
