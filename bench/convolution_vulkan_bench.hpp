// convolution_vulkan_bench.hpp: the benchmarks of convolutions on the Vulkan engine, registered with Google Benchmark.
#pragma once

#include <string>
#include <vector>

#include "fourier_cases.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One benchmark: convolutions of images with a kernel whose spectrum was computed before.
struct ConvolutionVulkanBenchmark {
  ConvolutionCase convolution;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] std::string name() const;
};

[[nodiscard]] std::vector<ConvolutionVulkanBenchmark> convolution_vulkan_benchmarks();

/// Compares the image with the CPU engine's. Then times the convolution, alternating with a forward and inverse
/// transform of the padded image in buffers: the least work of a convolution that stores spectra.
/// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
Result<Row> measure_convolution(VulkanRunner& runner, const ConvolutionVulkanBenchmark& benchmark);

/// Registers `benchmarks`. Each adds its row or a failure to the report. With a null runner they can only be listed.
void register_convolution_vulkan(const std::vector<ConvolutionVulkanBenchmark>& benchmarks, VulkanRunner* runner,
                                 Report& report);

}  // namespace onepass::bench
