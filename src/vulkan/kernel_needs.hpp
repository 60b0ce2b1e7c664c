// kernel_needs.hpp: the workgroup size and the shared memory of a kernel, read from its SPIR-V.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace onepass::vulkan {

struct KernelNeeds {
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};
  uint32_t shared_bytes = 0;  ///< Of all variables together, as Vulkan counts it for maxComputeSharedMemorySize.
};

/// The needs of a module with one entry point. `constants`: its specialization constants with ids 0, 1, 2...; others
/// have their defaults. An array whose length cannot be computed counts as empty.
/// Source: Khronos Group, "SPIR-V Specification", 1.5, sections 2.3 and 3.52.
KernelNeeds kernel_needs(std::span<const uint32_t> spirv, std::span<const uint32_t> constants);

}  // namespace onepass::vulkan
