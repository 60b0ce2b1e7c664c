// device_impl.hpp: the internal description of a Vulkan device.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "image/error.hpp"
#include "onepass/vulkan/device.hpp"
#include "vulkan/known_drivers.hpp"
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

/// Features of a physical device that the library itself does not use, too.
struct SupportedFeatures {
  const VkPhysicalDeviceFeatures& core;
  const VkPhysicalDeviceVulkan12Features& vulkan12;
};
/// Sets features of a device that is about to be created, of those that are supported.
using FeatureHook =
    std::function<void(const SupportedFeatures&, VkPhysicalDeviceFeatures& core, VkPhysicalDeviceVulkan12Features&)>;

struct Tunings;  // vulkan/tunings.hpp

struct ONEPASS_INTERNAL Device::Impl {
  /// Device::open(), with more features: the benchmark runs kernels of other libraries on the same device, tests run
  /// kernels in the Vulkan memory model.
  static Result<Device> open(const DeviceRequest& request, const FeatureHook& enable_more);

  DeviceHandles handles;
  DeviceInfo info;
  InstanceFunctions instance_functions;
  DeviceFunctions functions;
  DebugFunctions debug;
  VkAllocationCallbacks allocation_callbacks{};  // the caller's, if handles point here
  VkPhysicalDeviceLimits limits{};
  VkPhysicalDeviceMemoryProperties memory{};
  VkSubgroupFeatureFlags subgroup_operations = 0;  // in compute shaders
  DriverProperties driver;
  std::shared_ptr<const Tunings> tunings;        // of the caller's text; null: none for this device
  std::shared_ptr<const Tunings> known_tunings;  // of the built-in table; null: it does not have the device
  uint32_t required_subgroup_size = 0;           // of kernels with full subgroups; 0: none is requested
  bool has_timestamps = false;
  std::shared_ptr<OwnedDevice> owned;                                         // null for adopted devices
  std::shared_ptr<SharedObjects> shared = std::make_shared<SharedObjects>();  // destroyed before the device

  /// The size of the subgroups of kernels with full subgroups.
  [[nodiscard]] uint32_t full_subgroup_size() const {
    return required_subgroup_size != 0 ? required_subgroup_size : info.subgroup_size;
  }
  [[nodiscard]] VkFormatFeatureFlags features_of(VkFormat format) const;
};

/// The names of the extensions of a physical device, sorted.
std::vector<std::string> extensions_of(const InstanceFunctions& vk, VkPhysicalDevice physical);

/// Called with the functions of an instance that lives as long as the call, and a description of the physical device.
using DeviceVisitor = std::function<void(const InstanceFunctions&, VkPhysicalDevice, const Device::Impl&)>;

/// Visits all physical devices of this machine; none if there is no loader or driver. Errors: those of list_devices().
Result<void> visit_devices(const DeviceVisitor& visit);

/// The subgroup size that kernels with full subgroups ask for where the driver offers `least` to `most`, powers of two,
/// and workgroups of at most `most_subgroups`; 0 if it offers one size only.
///
/// 32, as on NVIDIA, or the nearest size. But 16 where the driver offers 16 or less, which is Intel: there an
/// invocation in a subgroup of 32 has 32 registers of 32 bits (128 registers of 32 bytes for all), half of what the
/// texels in flight of most kernels take; in a subgroup of 16 it has 64. Without a request Intel's driver takes 32.
uint32_t subgroup_size_to_require(uint32_t least, uint32_t most, uint32_t most_subgroups);

using onepass::unsupported;
/// The error of a request that the device does not support.
inline Error unsupported(const Device::Impl& device, std::string message) {
  return unsupported(std::move(message), device.info.name);
}

}  // namespace onepass::vulkan
