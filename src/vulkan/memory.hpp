// memory.hpp: device memory, and buffers that own theirs.
#pragma once

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// Required and preferred properties of an allocation.
struct MemoryRequest {
  VkMemoryRequirements needs{};
  VkMemoryPropertyFlags required = 0;
  VkMemoryPropertyFlags preferred = 0;
  VkBuffer buffer = VK_NULL_HANDLE;  ///< The buffer or the image that will be bound to the memory.
  VkImage image = VK_NULL_HANDLE;
};

/// The memory types that an allocation may use, best first: those with `preferred`, then all others. Types that need
/// a feature of their own (protected, lazily allocated, device coherent) are left out.
std::vector<uint32_t> memory_types(const VkPhysicalDeviceMemoryProperties& memory, const MemoryRequest& request);

/// Memory of one buffer or image: a VkDeviceMemory of its own, or a range from the caller's callbacks.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceMemory();
  void swap(DeviceMemory& other) noexcept;

  /// Allocates memory: of the caller's callbacks, or of the best type that is not exhausted. Memory that must be
  /// host-visible is mapped. Errors: kOutOfMemory; kDevice, also if there is no such type; kInvalidArgument if a
  /// callback returns memory that does not meet the request.
  static Result<DeviceMemory> allocate(const Device::Impl& device, const MemoryRequest& request);

  [[nodiscard]] const MemoryRange& range() const { return range_; }

 private:
  DeviceMemory(const Device::Impl& device, const MemoryRange& range) : device_(&device), range_(range) {}
  static Result<DeviceMemory> from_caller(const Device::Impl& device, const MemoryRequest& request,
                                          const std::vector<uint32_t>& types);
  static Result<DeviceMemory> from_driver(const Device::Impl& device, const MemoryRequest& request,
                                          const std::vector<uint32_t>& types);

  const Device::Impl* device_ = nullptr;
  MemoryRange range_{};
};

/// A buffer that owns its memory.
struct Buffer {
  const Device::Impl* device = nullptr;
  VkBuffer buffer = VK_NULL_HANDLE;
  DeviceMemory memory;
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
  /// has such memory and it is not exhausted. Errors: those of DeviceMemory::allocate().
  static Result<Buffer> create(const Device::Impl& device, VkDeviceSize size, VkBufferUsageFlags usage,
                               bool host_visible, VkMemoryPropertyFlags preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
};

/// Names a buffer and, if it is the library's, its memory.
void name_buffer(const Buffer& buffer, const char* technique, const char* role);

}  // namespace onepass::vulkan
