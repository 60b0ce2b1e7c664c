// kernels.cpp: finds SPIR-V by the name of its variant. Tests of HLSL kernels replace this function.
#include "vulkan/kernels.hpp"

namespace onepass::vulkan {

std::optional<std::vector<uint32_t>> find_kernel(std::string_view name) {
  const std::span<const uint32_t> packed = packed_kernel(name);
  if (packed.empty()) return std::nullopt;
  return unpack_kernel(packed);
}

}  // namespace onepass::vulkan
