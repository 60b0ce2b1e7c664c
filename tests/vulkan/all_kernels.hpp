// all_kernels.hpp: the kernels of all techniques, by name.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "vulkan/kernels.hpp"

namespace onepass::testing {

/// The SPIR-V of a kernel of any technique; no value if there is none.
inline std::optional<std::vector<uint32_t>> find_kernel(std::string_view name) {
  const std::array sets = {&vulkan::kBlocksKernels,       &vulkan::kBloomKernels,         &vulkan::kFourierKernels,
                           &vulkan::kFrameToneMapKernels, &vulkan::kLuminanceKernels,     &vulkan::kPyramidKernels,
                           &vulkan::kReflectionKernels,   &vulkan::kTileReductionKernels, &vulkan::kToneMapKernels};
  for (const vulkan::KernelSet* set : sets) {
    if (auto code = vulkan::find_kernel(*set, name)) return code;
  }
  return std::nullopt;
}

}  // namespace onepass::testing
