// convolution_vulkan_bench.hpp: the benchmarks of convolutions on the Vulkan engine, registered with Google Benchmark.
#pragma once

#include <string>
#include <vector>

#include "fourier_cases.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One benchmark: images convolved with a kernel whose spectrum is ready.
struct ConvolutionVulkanBenchmark {
  ConvolutionCase convolution;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] std::string name() const;
};

[[nodiscard]] std::vector<ConvolutionVulkanBenchmark> convolution_vulkan_benchmarks();

/// Checks the image against the CPU engine's, then times it in turns with a transform of the padded image, from buffer
/// to spectrum and back: what the two must do at least if spectra are stored.
/// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
Result<Row> measure_convolution(VulkanRunner& runner, const ConvolutionVulkanBenchmark& benchmark);

/// Registers `benchmarks`; each adds its row to the report, or a failure. Without a runner they can be listed only.
void register_convolution_vulkan(const std::vector<ConvolutionVulkanBenchmark>& benchmarks, VulkanRunner* runner,
                                 Report& report);

}  // namespace onepass::bench
