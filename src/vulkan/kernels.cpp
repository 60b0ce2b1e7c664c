// kernels.cpp: finds SPIR-V by the name of its variant. Tests of HLSL kernels replace this function.
#include "vulkan/kernels.hpp"

namespace onepass::vulkan {

std::optional<std::vector<uint32_t>> find_kernel(const KernelSet& set, std::string_view name) {
  for (const KernelEntry& entry : set.entries) {
    if (entry.name == name) return unpack_kernel(set, entry);
  }
  return std::nullopt;
}

}  // namespace onepass::vulkan
