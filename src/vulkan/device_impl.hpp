// device_impl.hpp: the internal description of a Vulkan device.
#pragma once

#include <memory>
#include <string>

#include "image/error.hpp"
#include "onepass/vulkan/device.hpp"
#include "vulkan/loader.hpp"
#include "vulkan/shared_objects.hpp"

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

struct ONEPASS_INTERNAL Device::Impl {
  DeviceHandles handles;
  DeviceInfo info;
  InstanceFunctions instance_functions;
  DeviceFunctions functions;
  VkPhysicalDeviceLimits limits{};
  VkPhysicalDeviceMemoryProperties memory{};
  VkSubgroupFeatureFlags subgroup_operations = 0;  // in compute shaders
  bool pack_half_rounds_to_nearest = false;        // the driver's packHalf2x16 is known to round to nearest
  bool forward_progress = false;  // the driver is known to guarantee forward progress of started workgroups
  bool has_timestamps = false;
  std::shared_ptr<OwnedDevice> owned;                                         // null for adopted devices
  std::shared_ptr<SharedObjects> shared = std::make_shared<SharedObjects>();  // destroyed before the device

  [[nodiscard]] VkFormatFeatureFlags features_of(VkFormat format) const;
};

using onepass::unsupported;
/// The error of a request that the device does not support.
inline Error unsupported(const Device::Impl& device, std::string message) {
  return unsupported(std::move(message), device.info.name);
}

}  // namespace onepass::vulkan
