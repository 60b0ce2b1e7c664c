// bloom_bench.hpp: the benchmarks of bloom on both engines, each beside the convolution alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/bloom.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One bloom of RGBA16F images.
struct BloomCase {
  std::string_view word;  ///< Method and resolution, as in names.
  Extent size;
  BloomMethod method = BloomMethod::kConvolution;
  BloomResolution resolution = BloomResolution::kFull;
  float threshold = 0;

  [[nodiscard]] BloomOptions options() const;
  /// The convolution alone, at full resolution, with the kernel and the boundary of the bloom: the reference.
  [[nodiscard]] ConvolutionOptions convolution() const;
};

[[nodiscard]] std::span<const BloomCase> bloom_cases();

/// Registers all cases with every mode; a null runner can only list them. Each adds its row or a failure to the report.
/// A row's reference is the time of the convolution alone, of the same rounds; outputs are compared with the CPU
/// engine's first.
void register_bloom_vulkan(VulkanRunner* runner, Report& report);

/// The same on the CPU engine, on one and on all threads.
void register_bloom_cpu(uint32_t rounds, Report& report);

}  // namespace onepass::bench
