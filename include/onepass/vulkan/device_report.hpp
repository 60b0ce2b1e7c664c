// device_report.hpp: what a report about a Vulkan device has to say, so that somebody without the device can understand
// a wrong result, a slow kernel or an error on it. `onepass info --report` prints it; docs/devices.md says how to
// report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// A limit of VkPhysicalDeviceLimits that the library checks or obeys.
struct DeviceLimit {
  std::string name;  ///< The name of the member; "maxComputeWorkGroupSize[0]" for an element.
  uint64_t value = 0;
};

/// What a device does with images of a format, tiled optimally.
struct FormatSupport {
  Format format = Format::kUndefined;
  bool sampled = false;   ///< Read by texel fetches and samplers: a source.
  bool filtered = false;  ///< Read through a linear sampler: Sampling::kLinear.
  bool stored = false;    ///< Written, sRGB formats through their UNORM counterpart: a target. No depth format is one.
};

/// A property of the driver that no query of Vulkan returns, and what it decides.
struct DriverAssumption {
  std::string name;
  bool holds = false;
  std::string decides;  ///< The fields of the tunings that kAuto takes from it, or the technique.
};

/// Everything that the library asks of a device or assumes of its driver.
struct DeviceReport {
  DeviceInfo info;
  uint32_t type = 0;  ///< VkPhysicalDeviceType.
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t driver_id = 0;       ///< VkDriverId.
  uint32_t driver_version = 0;  ///< Encoded as the vendor likes.
  std::string driver_name;
  std::string driver_info;
  std::string conformance;              ///< The version of the conformance test suite that the driver passed.
  std::vector<std::string> extensions;  ///< Of the device, sorted.
  std::vector<DeviceLimit> limits;
  std::vector<FormatSupport> formats;  ///< Every format of the library.

  std::vector<std::string> subgroup_operations;  ///< In compute shaders: "basic", "vote"...
  uint32_t least_subgroup_size = 0;              ///< Without subgroupSizeControl both are DeviceInfo::subgroup_size.
  uint32_t most_subgroup_size = 0;
  uint32_t required_subgroup_size = 0;  ///< That the library asks for in kernels with full subgroups. 0: none.

  std::string known_driver;         ///< The row of the table of known drivers (docs/devices.md). Empty: there is none.
  std::string known_driver_reason;  ///< Why the row is as it is.
  std::vector<DriverAssumption> assumptions;
};

/// Reports of all Vulkan devices of this machine, usable or not, in the order of list_devices(). Empty if there is no
/// loader or no driver.
/// Errors: kDevice if the loader does not work, kOutOfMemory.
/// Threads: any number of calls at once.
[[nodiscard]] ONEPASS_API Result<std::vector<DeviceReport>> report_devices();

/// The kernels whose pipelines the device holds, sorted, each once: the variants that the library chose for the
/// techniques created so far. src/*/kernels.cmake says what the parts of a name mean. Device::trim() forgets kernels
/// that no technique uses.
[[nodiscard]] ONEPASS_API std::vector<std::string> kernel_names(const Device& device);

}  // namespace onepass::vulkan
