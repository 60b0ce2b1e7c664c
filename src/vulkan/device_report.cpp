// device_report.cpp: collects the properties of every physical device that visit_devices() finds, and the driver
// assumptions with the tunings that depend on them.
#include "onepass/vulkan/device_report.hpp"

#include <algorithm>

#include "vulkan/device_impl.hpp"
#include "vulkan/image_view.hpp"

namespace onepass::vulkan {
namespace {

std::vector<DeviceLimit> limits_of(const VkPhysicalDeviceLimits& limits) {
  std::vector<DeviceLimit> out;
#define ONEPASS_LIMIT(name) out.push_back({#name, limits.name})
  ONEPASS_LIMIT(maxComputeWorkGroupInvocations);
  ONEPASS_LIMIT(maxComputeWorkGroupSize[0]);
  ONEPASS_LIMIT(maxComputeWorkGroupSize[1]);
  ONEPASS_LIMIT(maxComputeWorkGroupSize[2]);
  ONEPASS_LIMIT(maxComputeWorkGroupCount[0]);
  ONEPASS_LIMIT(maxComputeWorkGroupCount[1]);
  ONEPASS_LIMIT(maxComputeWorkGroupCount[2]);
  ONEPASS_LIMIT(maxComputeSharedMemorySize);
  ONEPASS_LIMIT(maxPushConstantsSize);
  ONEPASS_LIMIT(maxPerStageDescriptorSamplers);
  ONEPASS_LIMIT(maxPerStageDescriptorSampledImages);
  ONEPASS_LIMIT(maxPerStageDescriptorStorageImages);
  ONEPASS_LIMIT(maxPerStageDescriptorStorageBuffers);
  ONEPASS_LIMIT(maxPerStageDescriptorUniformBuffers);
  ONEPASS_LIMIT(maxPerStageResources);
  ONEPASS_LIMIT(maxDescriptorSetSamplers);
  ONEPASS_LIMIT(maxDescriptorSetSampledImages);
  ONEPASS_LIMIT(maxDescriptorSetStorageImages);
  ONEPASS_LIMIT(maxDescriptorSetStorageBuffers);
  ONEPASS_LIMIT(maxDescriptorSetUniformBuffers);
  ONEPASS_LIMIT(maxStorageBufferRange);
  ONEPASS_LIMIT(minStorageBufferOffsetAlignment);
  ONEPASS_LIMIT(maxImageDimension2D);
  ONEPASS_LIMIT(maxImageArrayLayers);
  ONEPASS_LIMIT(maxMemoryAllocationCount);
  ONEPASS_LIMIT(subTexelPrecisionBits);
#undef ONEPASS_LIMIT
  return out;
}

std::vector<std::string> names_of_operations(VkSubgroupFeatureFlags operations) {
  constexpr struct {
    VkSubgroupFeatureFlagBits bit;
    const char* name;
  } kNames[] = {{VK_SUBGROUP_FEATURE_BASIC_BIT, "basic"},
                {VK_SUBGROUP_FEATURE_VOTE_BIT, "vote"},
                {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "arithmetic"},
                {VK_SUBGROUP_FEATURE_BALLOT_BIT, "ballot"},
                {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffle"},
                {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, "shuffle relative"},
                {VK_SUBGROUP_FEATURE_CLUSTERED_BIT, "clustered"},
                {VK_SUBGROUP_FEATURE_QUAD_BIT, "quad"}};
  std::vector<std::string> out;
  for (const auto& [bit, name] : kNames) {
    if ((operations & bit) != 0) out.emplace_back(name);
  }
  return out;
}

std::vector<FormatSupport> formats_of(const InstanceFunctions& vk, VkPhysicalDevice physical, const DeviceInfo& info) {
  const auto has = [](const std::vector<Format>& formats, Format format) {
    return std::find(formats.begin(), formats.end(), format) != formats.end();
  };
  std::vector<FormatSupport> out;
  for (const FormatInfo& format : all_formats()) {
    VkFormatProperties properties{};
    vk.vkGetPhysicalDeviceFormatProperties(physical, static_cast<VkFormat>(format.format), &properties);
    out.push_back(
        {.format = format.format,
         .sampled = has(info.sources, format.format),
         .filtered = (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0,
         .stored = has(info.targets, format.format)});
  }
  return out;
}

std::vector<DriverAssumption> assumptions_of(const DriverProperties& driver) {
  return {
      {"forward_progress", driver.forward_progress, "PyramidTuning::last_to_start"},
      {"unfenced_stores", driver.unfenced_stores, "PyramidTuning::publish"},
      {"divergent_barriers", driver.divergent_barriers, "PyramidTuning::path, divergent_barriers of the other tunings"},
      {"half_rounds_to_nearest", driver.half_rounds_to_nearest, "packHalf2x16 instead of integers"},
      {"compiles_whole_lines", driver.compiles_whole_lines, "FourierTechnique"}};
}

std::string version_of(const VkConformanceVersion& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.subminor) +
         "." + std::to_string(version.patch);
}

// Without subgroupSizeControl the struct of the sizes may be unknown to the driver.
void set_subgroup_sizes(const InstanceFunctions& vk, VkPhysicalDevice physical, DeviceReport& out) {
  out.least_subgroup_size = out.most_subgroup_size = out.info.subgroup_size;
  if (!out.info.features.subgroup_size_control) return;
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &sizes;
  vk.vkGetPhysicalDeviceProperties2(physical, &properties);
  out.least_subgroup_size = sizes.minSubgroupSize;
  out.most_subgroup_size = sizes.maxSubgroupSize;
}

DeviceReport make_report(const InstanceFunctions& vk, VkPhysicalDevice physical, const Device::Impl& device) {
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  vk.vkGetPhysicalDeviceProperties2(physical, &properties);
  const VkPhysicalDeviceProperties& general = properties.properties;
  const KnownDriver* known = find_known_driver(driver.driverID);
  DeviceReport out;
  out.info = device.info;
  out.type = general.deviceType;
  out.vendor_id = general.vendorID;
  out.device_id = general.deviceID;
  out.driver_id = driver.driverID;
  out.driver_version = general.driverVersion;
  out.driver_name = driver.driverName;
  out.driver_info = driver.driverInfo;
  out.conformance = version_of(driver.conformanceVersion);
  out.extensions = extensions_of(vk, physical);
  out.limits = limits_of(device.limits);
  out.formats = formats_of(vk, physical, device.info);
  out.subgroup_operations = names_of_operations(device.subgroup_operations);
  set_subgroup_sizes(vk, physical, out);
  out.required_subgroup_size = device.required_subgroup_size;
  if (known != nullptr) {
    out.known_driver = known->name;
    out.known_driver_reason = known->reason;
  }
  out.assumptions = assumptions_of(device.driver);
  return out;
}

}  // namespace

Result<std::vector<DeviceReport>> report_devices() {
  std::vector<DeviceReport> reports;
  auto visited = visit_devices([&](const InstanceFunctions& vk, VkPhysicalDevice physical, const Device::Impl& device) {
    reports.push_back(make_report(vk, physical, device));
  });
  if (!visited) return visited.error();
  return reports;
}

std::vector<std::string> kernel_names(const Device& device) { return device.impl().shared->names_of_kernels(); }

}  // namespace onepass::vulkan
