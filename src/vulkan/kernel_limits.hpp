// kernel_limits.hpp: checks that a device can run a kernel, before Vulkan objects are created for it: drivers do not
// report the limits that a kernel exceeds, and some crash.
#pragma once

#include <span>
#include <string>

#include "vulkan/device_impl.hpp"
#include "vulkan/kernel_needs.hpp"

namespace onepass::vulkan {

/// A binding of a kernel's descriptor set.
struct KernelBinding {
  uint32_t index = 0;
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  uint32_t count = 1;  ///< Elements; more than 1 for an array.
};

/// The limit of descriptors or push constants that a kernel's layout exceeds: "7 storage buffers, but
/// maxPerStageDescriptorStorageBuffers is 4". Empty if there is none.
std::string layout_limit_exceeded(const VkPhysicalDeviceLimits& limits, std::span<const KernelBinding> bindings,
                                  uint32_t params_bytes);

/// The limit of compute shaders that a kernel exceeds: "20480 bytes of shared memory, but maxComputeSharedMemorySize is
/// 16384". Empty if there is none.
std::string needs_limit_exceeded(const VkPhysicalDeviceLimits& limits, const KernelNeeds& needs);

}  // namespace onepass::vulkan
