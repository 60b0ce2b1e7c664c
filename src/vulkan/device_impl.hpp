// device_impl.hpp: the internal description of a Vulkan device.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "image/error.hpp"
#include "onepass/vulkan/device.hpp"
#include "vulkan/known_drivers.hpp"
#include "vulkan/loader.hpp"

namespace onepass::vulkan {

/// An instance, device and queue that belong to the library.
struct OwnedDevice {
  GlobalFunctions global;
  InstanceFunctions instance_functions;
  DeviceFunctions functions;
  VkInstance instance = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  std::function<void(std::string_view)> on_message;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;

  OwnedDevice() = default;
  OwnedDevice(const OwnedDevice&) = delete;
  OwnedDevice& operator=(const OwnedDevice&) = delete;
  ~OwnedDevice();
};

/// Objects that techniques create once per device and share: pipelines. The key contains everything that they depend
/// on.
class SharedObjects {
 public:
  /// The object under `key`; `create`, which returns Result<std::shared_ptr<T>>, makes it if there is none.
  template <typename T, typename Create>
  Result<std::shared_ptr<const T>> get(const std::string& key, const Create& create) {
    const std::lock_guard lock(mutex_);
    if (const auto found = objects_.find(key); found != objects_.end())
      return std::static_pointer_cast<const T>(found->second);
    Result<std::shared_ptr<T>> created = create();
    if (!created) return created.error();
    std::shared_ptr<const T> object = *created;
    objects_.emplace(key, object);
    return object;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const void>> objects_;
};

struct ONEPASS_INTERNAL Device::Impl {
  DeviceHandles handles;
  DeviceInfo info;
  InstanceFunctions instance_functions;
  DeviceFunctions functions;
  VkPhysicalDeviceLimits limits{};
  VkPhysicalDeviceMemoryProperties memory{};
  VkSubgroupFeatureFlags subgroup_operations = 0;  // in compute shaders
  DriverProperties driver;
  bool has_timestamps = false;
  std::shared_ptr<OwnedDevice> owned;                                         // null for adopted devices
  std::shared_ptr<SharedObjects> shared = std::make_shared<SharedObjects>();  // destroyed before the device

  /// Index of a memory type with all of `flags`, if possible also with `preferred`; UINT32_MAX if there is none.
  [[nodiscard]] uint32_t memory_type(uint32_t type_bits, VkMemoryPropertyFlags flags,
                                     VkMemoryPropertyFlags preferred = 0) const;
  [[nodiscard]] VkFormatFeatureFlags features_of(VkFormat format) const;
};

using onepass::unsupported;
/// The error of a request that the device does not support.
inline Error unsupported(const Device::Impl& device, std::string message) {
  return unsupported(std::move(message), device.info.name);
}

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

  /// Host-visible memory is mapped. `preferred` are additional properties, used if the device has such memory. Errors:
  /// kOutOfMemory, kDevice.
  static Result<Buffer> create(const Device::Impl& device, VkDeviceSize size, VkBufferUsageFlags usage,
                               bool host_visible, VkMemoryPropertyFlags preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
};

}  // namespace onepass::vulkan
