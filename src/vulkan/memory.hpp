// memory.hpp: device memory, and buffers that own theirs.
#pragma once

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// What an allocation must and should be.
struct MemoryRequest {
  VkMemoryRequirements needs{};
  VkMemoryPropertyFlags required = 0;
  VkMemoryPropertyFlags preferred = 0;
};

/// The memory types that an allocation may use, best first: those with `preferred`, then all others. Types that need
/// a feature of their own (protected, lazily allocated, device coherent) are left out.
std::vector<uint32_t> memory_types(const VkPhysicalDeviceMemoryProperties& memory, const MemoryRequest& request);

/// Allocates memory of the best type that is not exhausted. Errors: kOutOfMemory; kDevice, also if there is no such
/// type.
Result<VkDeviceMemory> allocate_memory(const Device::Impl& device, const MemoryRequest& request);

/// A buffer that owns its memory.
struct Buffer {
  const Device::Impl* device = nullptr;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  void* mapped = nullptr;  // host-visible buffers stay mapped

  Buffer() = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();
  void swap(Buffer& other) noexcept;

  /// Host-visible memory is mapped. `preferred` are additional properties of host-visible memory, used if the device
  /// has such memory and it is not exhausted. Errors: kOutOfMemory, kDevice.
  static Result<Buffer> create(const Device::Impl& device, VkDeviceSize size, VkBufferUsageFlags usage,
                               bool host_visible, VkMemoryPropertyFlags preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
};

/// Names a buffer and its memory.
void name_buffer(const Buffer& buffer, const char* technique, const char* role);

}  // namespace onepass::vulkan
