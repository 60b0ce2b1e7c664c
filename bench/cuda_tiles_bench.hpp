// cuda_tiles_bench.hpp: the benchmarks of tile reductions on the CUDA engine, registered with Google Benchmark.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One benchmark.
struct CudaTilesBenchmark {
  PyramidCase pyramid;  ///< Its source, target and reduction.
  Mode mode = Mode::kThroughput;

  [[nodiscard]] std::string name() const;
};

/// The cases of the Vulkan engine.
[[nodiscard]] std::vector<CudaTilesBenchmark> cuda_tiles_benchmarks();

/// Measures benchmarks on the CUDA device that is the measured Vulkan device.
class CudaTilesRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit CudaTilesRunner(VulkanRunner& runner) : runner_(runner) {}
  CudaTilesRunner(const CudaTilesRunner&) = delete;
  CudaTilesRunner& operator=(const CudaTilesRunner&) = delete;

  /// Compares the coarse image with the CPU engine's, then times CUDA graphs of records, alternating with the Vulkan
  /// engine's tile reduction of an image of the same texels.
  /// Errors: kUnsupported without CUDA; kBadData for wrong output.
  Result<Row> measure(const CudaTilesBenchmark& benchmark);

 private:
  VulkanRunner& runner_;
  std::unique_ptr<ImageSets> images_;
};

/// Registers `benchmarks`. With a null runner they can only be listed.
void register_cuda_tiles(const std::vector<CudaTilesBenchmark>& benchmarks, CudaTilesRunner* runner, Report& report);

}  // namespace onepass::bench
