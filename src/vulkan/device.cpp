// device.cpp: lists, opens and adopts Vulkan devices.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include "vulkan/device_impl.hpp"
#include "vulkan/image_view.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {
namespace {

constexpr uint32_t kApiVersion = VK_API_VERSION_1_2;       // needed
constexpr uint32_t kInstanceVersion = VK_API_VERSION_1_3;  // of own instances: the highest whose structs are used
constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

std::string version_text(uint32_t v) {
  return std::to_string(VK_API_VERSION_MAJOR(v)) + "." + std::to_string(VK_API_VERSION_MINOR(v)) + "." +
         std::to_string(VK_API_VERSION_PATCH(v));
}

// Whether a technique can read, or write, an image of a format.
bool readable(VkFormatFeatureFlags features) { return (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0; }
bool writable(VkFormatFeatureFlags features) { return (features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) != 0; }

VkFormatFeatureFlags format_features(const InstanceFunctions& vk, VkPhysicalDevice physical, VkFormat format) {
  VkFormatProperties properties{};
  vk.vkGetPhysicalDeviceFormatProperties(physical, format, &properties);
  return properties.optimalTilingFeatures;
}

// VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR, which the headers before Vulkan 1.3.276 lack.
struct MaximalReconvergenceFeatures {
  VkStructureType sType = static_cast<VkStructureType>(1000434000);
  void* pNext = nullptr;
  VkBool32 shaderMaximalReconvergence = VK_FALSE;
};
constexpr const char* kMaximalReconvergence = "VK_KHR_shader_maximal_reconvergence";
constexpr const char* kUniformControlFlow = VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME;

// The features of reconvergence, each of an extension.
struct ReconvergenceFeatures {
  VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, nullptr, VK_FALSE};
  MaximalReconvergenceFeatures maximal;

  // A chain of those that the device knows, followed by `next`. It points to members of this struct.
  void* chain(bool has_uniform, bool has_maximal, void* next) {
    if (has_uniform) {
      uniform.pNext = next;
      next = &uniform;
    }
    if (!has_maximal) return next;
    maximal.pNext = next;
    return &maximal;
  }
};

EnabledFeatures supported_features(const InstanceFunctions& vk, VkPhysicalDevice physical, bool vulkan13) {
  const std::vector<std::string> extensions = extensions_of(vk, physical);
  const auto has = [&](const char* name) { return std::binary_search(extensions.begin(), extensions.end(), name); };
  ReconvergenceFeatures reconvergence;
  VkPhysicalDeviceVulkan13Features features13{};
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceVulkan12Features features12{};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.pNext =
      reconvergence.chain(has(kUniformControlFlow), has(kMaximalReconvergence), vulkan13 ? &features13 : nullptr);
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &features12;
  vk.vkGetPhysicalDeviceFeatures2(physical, &features);
  EnabledFeatures result;
  result.storage_image_write_without_format = features.features.shaderStorageImageWriteWithoutFormat == VK_TRUE;
  result.storage_image_array_dynamic_indexing = features.features.shaderStorageImageArrayDynamicIndexing == VK_TRUE;
  result.storage_image_read_without_format = features.features.shaderStorageImageReadWithoutFormat == VK_TRUE;
  result.compute_full_subgroups = features13.computeFullSubgroups == VK_TRUE;
  result.subgroup_size_control = features13.subgroupSizeControl == VK_TRUE;
  result.sampler_filter_minmax = features12.samplerFilterMinmax == VK_TRUE;
  result.subgroup_uniform_control_flow = reconvergence.uniform.shaderSubgroupUniformControlFlow == VK_TRUE;
  result.maximal_reconvergence = reconvergence.maximal.shaderMaximalReconvergence == VK_TRUE;
  return result;
}

// Fills all properties of a physical device except its index and the features that the caller enabled.
void describe(const InstanceFunctions& vk, VkPhysicalDevice physical, Device::Impl& out) {
  VkPhysicalDeviceSubgroupProperties subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  driver.pNext = &subgroup;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  vk.vkGetPhysicalDeviceProperties2(physical, &properties);
  vk.vkGetPhysicalDeviceMemoryProperties(physical, &out.memory);
  out.limits = properties.properties.limits;
  if ((subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0)
    out.subgroup_operations = subgroup.supportedOperations;
  out.driver = known_driver(driver.driverID);

  DeviceInfo& info = out.info;
  info.name = properties.properties.deviceName;
  info.driver = std::string(driver.driverName) + " " + driver.driverInfo;
  info.api_version = properties.properties.apiVersion;
  info.software = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  info.subgroup_size = subgroup.subgroupSize;
  info.shared_memory_bytes = out.limits.maxComputeSharedMemorySize;
  info.max_image_size = out.limits.maxImageDimension2D;
  info.max_slices = out.limits.maxImageArrayLayers;
  for (uint32_t i = 0; i < out.memory.memoryHeapCount; ++i) {
    const VkMemoryHeap& heap = out.memory.memoryHeaps[i];
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) info.memory_bytes = std::max(info.memory_bytes, heap.size);
  }
  for (const FormatInfo& format : all_formats()) {
    if (readable(format_features(vk, physical, static_cast<VkFormat>(format.format))))
      info.sources.push_back(format.format);
    if (!format.depth && writable(format_features(vk, physical, storage_format(format.format)))) {
      info.targets.push_back(format.format);
    }
  }
  find_known_tunings(vk, physical, driver.driverID, out);
}

// Asks the driver for its subgroup sizes. Only where the feature is enabled: elsewhere the struct may be unknown.
void choose_subgroup_size(const InstanceFunctions& vk, VkPhysicalDevice physical, const EnabledFeatures& features,
                          Device::Impl& out) {
  if (!features.compute_full_subgroups || !features.subgroup_size_control) return;
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &sizes;
  vk.vkGetPhysicalDeviceProperties2(physical, &properties);
  if ((sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0) return;
  out.required_subgroup_size =
      subgroup_size_to_require(sizes.minSubgroupSize, sizes.maxSubgroupSize, sizes.maxComputeWorkgroupSubgroups);
}

std::vector<VkQueueFamilyProperties> queue_families(const InstanceFunctions& vk, VkPhysicalDevice physical) {
  uint32_t count = 0;
  vk.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  return families;
}

uint32_t compute_family(const InstanceFunctions& vk, VkPhysicalDevice physical, bool* timestamps) {
  const auto families = queue_families(vk, physical);
  for (uint32_t i = 0; i < families.size(); ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    *timestamps = families[i].timestampValidBits > 0;
    return i;
  }
  return UINT32_MAX;
}

constexpr const char* kVersionNeeded = ", 1.2 is needed (VkApplicationInfo::apiVersion)";

// The version up to which a device may be used is the lower one of its own and its instance's; the kernels are SPIR-V
// 1.5, that is Vulkan 1.2.
Result<void> check_stated_version(uint32_t version) {
  if (version == 0 || version >= kApiVersion) return {};
  return unsupported("api_version: the instance is of Vulkan " + version_text(version) + kVersionNeeded);
}

// Mesa's drivers have no functions of versions above that of the instance. Others, and layers, return them anyway.
Result<void> check_real_version(const InstanceFunctions& vk, VkDevice device) {
  if (vk.vkGetDeviceProcAddr(device, "vkResetQueryPool") != nullptr) return {};
  return unsupported(std::string("api_version: the instance or the device is of a Vulkan version below 1.2") +
                     kVersionNeeded);
}

// The requirement that a device does not meet; empty if it meets all.
std::string requirement_missing(const DeviceInfo& info, const EnabledFeatures& features) {
  if (info.api_version < kApiVersion) return "Vulkan " + version_text(info.api_version) + ", 1.2 is needed";
  if (!features.storage_image_write_without_format) return "feature shaderStorageImageWriteWithoutFormat is missing";
  return {};
}

struct Candidate {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  uint32_t family = UINT32_MAX;
  Device::Impl impl;
};

Result<std::vector<Candidate>> enumerate(const InstanceFunctions& vk, VkInstance instance) {
  uint32_t count = 0;
  VkResult result = vk.vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> physicals(count);
  if (result == VK_SUCCESS) result = vk.vkEnumeratePhysicalDevices(instance, &count, physicals.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return vulkan_error(result, "vkEnumeratePhysicalDevices");
  std::vector<Candidate> candidates(count);
  for (uint32_t i = 0; i < count; ++i) {
    Candidate& candidate = candidates[i];
    candidate.physical = physicals[i];
    describe(vk, physicals[i], candidate.impl);
    DeviceInfo& info = candidate.impl.info;
    info.index = i;
    info.features = supported_features(vk, physicals[i], info.api_version >= VK_API_VERSION_1_3);
    choose_subgroup_size(vk, physicals[i], info.features, candidate.impl);
    candidate.family = compute_family(vk, physicals[i], &candidate.impl.has_timestamps);
    info.unusable_reason = requirement_missing(info, info.features);
    if (candidate.family == UINT32_MAX) info.unusable_reason = "no compute queue";
    info.usable = info.unusable_reason.empty();
  }
  return candidates;
}

VKAPI_ATTR VkBool32 VKAPI_CALL forward_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  const auto& on_message = static_cast<OwnedDevice*>(user)->on_message;
  if (on_message) on_message(data->pMessage);
  return VK_FALSE;
}

Result<void> create_instance(OwnedDevice& owned, bool validation, bool gpu_validation) {
  auto global = load_vulkan();
  if (!global) return global.error();
  owned.global = *global;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "onepass";
  application.apiVersion = kInstanceVersion;  // devices may support less

  VkDebugUtilsMessengerCreateInfoEXT messages{};
  messages.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messages.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messages.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  messages.pfnUserCallback = forward_message;
  messages.pUserData = &owned;
  const VkValidationFeatureEnableEXT enable[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
                                                 VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT};
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.pNext = &messages;
  features.enabledValidationFeatureCount = gpu_validation ? 2 : 1;
  features.pEnabledValidationFeatures = enable;

  const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (validation) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  const VkResult result = owned.global.vkCreateInstance(&info, nullptr, &owned.instance);
  if (result == VK_ERROR_LAYER_NOT_PRESENT) {
    return Error{ErrorCode::kNotFound, std::string("layer ") + kValidationLayer + " is not installed", {}};
  }
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return Error{ErrorCode::kNotFound, "no Vulkan driver on this machine", {}};
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY) {  // what the loader also returns for a manifest that is no JSON
    return Error{ErrorCode::kDevice,
                 "the Vulkan loader cannot read the manifest of a driver, or has no memory "
                 "(VK_ERROR_OUT_OF_HOST_MEMORY; VK_LOADER_DEBUG=error names the file)",
                 {}};
  }
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateInstance");
  auto functions = load_instance(owned.global.get_instance_proc_addr, owned.instance);
  if (!functions) return functions.error();
  owned.instance_functions = *functions;
  if (validation) {
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        owned.global.get_instance_proc_addr(owned.instance, "vkCreateDebugUtilsMessengerEXT"));
    if (create != nullptr) create(owned.instance, &messages, nullptr, &owned.messenger);
  }
  return {};
}

// Index of the device that matches the request.
Result<size_t> choose(const std::vector<Candidate>& candidates, const DeviceRequest& request) {
  const std::string& selector = request.selector;
  if (!selector.empty()) {
    uint32_t index = 0;
    const char* end = selector.data() + selector.size();
    const auto parsed = std::from_chars(selector.data(), end, index);
    const bool number = parsed.ec == std::errc() && parsed.ptr == end;
    for (size_t i = 0; i < candidates.size(); ++i) {
      const DeviceInfo& info = candidates[i].impl.info;
      if (!(number ? index == i : contains(info.name, selector))) continue;
      if (!info.usable) return unsupported(info.unusable_reason, info.name);
      return i;
    }
    return Error{ErrorCode::kNotFound, "no Vulkan device matches (" + std::to_string(candidates.size()) + " present)",
                 "device " + selector};
  }
  for (const bool software : {false, true}) {
    if (software && !request.allow_software) break;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].impl.info.usable && candidates[i].impl.info.software == software) return i;
    }
  }
  return Error{ErrorCode::kNotFound, request.allow_software ? "no usable Vulkan device" : "no usable Vulkan GPU", {}};
}

Result<void> create_device(OwnedDevice& owned, const Candidate& candidate, const FeatureHook& enable_more) {
  const EnabledFeatures& wanted = candidate.impl.info.features;
  VkPhysicalDeviceVulkan13Features features13{};
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features13.computeFullSubgroups = wanted.compute_full_subgroups ? VK_TRUE : VK_FALSE;
  VkPhysicalDeviceVulkan12Features features12{};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  ReconvergenceFeatures reconvergence;
  reconvergence.uniform.shaderSubgroupUniformControlFlow = VK_TRUE;
  reconvergence.maximal.shaderMaximalReconvergence = VK_TRUE;
  // Vulkan 1.3 features are chained only on devices of 1.3, because older drivers may not know the structure.
  features12.pNext = reconvergence.chain(wanted.subgroup_uniform_control_flow, wanted.maximal_reconvergence,
                                         candidate.impl.info.api_version >= VK_API_VERSION_1_3 ? &features13 : nullptr);
  features13.subgroupSizeControl = wanted.subgroup_size_control ? VK_TRUE : VK_FALSE;
  features12.samplerFilterMinmax = wanted.sampler_filter_minmax ? VK_TRUE : VK_FALSE;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &features12;
  features.features.shaderStorageImageWriteWithoutFormat = VK_TRUE;
  features.features.shaderStorageImageArrayDynamicIndexing =
      wanted.storage_image_array_dynamic_indexing ? VK_TRUE : VK_FALSE;
  features.features.shaderStorageImageReadWithoutFormat = wanted.storage_image_read_without_format ? VK_TRUE : VK_FALSE;
  if (enable_more) {
    VkPhysicalDeviceVulkan12Features supported12{};
    supported12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceFeatures2 supported{};
    supported.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    supported.pNext = &supported12;
    owned.instance_functions.vkGetPhysicalDeviceFeatures2(candidate.physical, &supported);
    enable_more({supported.features, supported12}, features.features, features12);
  }

  const float priority = 1.0F;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = candidate.family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  std::vector<const char*> extensions;
  if (wanted.subgroup_uniform_control_flow) extensions.push_back(kUniformControlFlow);
  if (wanted.maximal_reconvergence) extensions.push_back(kMaximalReconvergence);
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkResult result = owned.instance_functions.vkCreateDevice(candidate.physical, &info, nullptr, &owned.device);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDevice");
  auto functions = load_device(owned.instance_functions.vkGetDeviceProcAddr, owned.device);
  if (!functions) return functions.error();
  owned.functions = *functions;
  owned.functions.vkGetDeviceQueue(owned.device, candidate.family, 0, &owned.queue);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool.queueFamilyIndex = candidate.family;
  result = owned.functions.vkCreateCommandPool(owned.device, &pool, nullptr, &owned.pool);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateCommandPool");
  return {};
}

}  // namespace

OwnedDevice::~OwnedDevice() {
  if (device != VK_NULL_HANDLE && functions.vkDestroyDevice != nullptr) {
    functions.vkDeviceWaitIdle(device);
    if (pool != VK_NULL_HANDLE) functions.vkDestroyCommandPool(device, pool, nullptr);
    functions.vkDestroyDevice(device, nullptr);
  }
  if (instance == VK_NULL_HANDLE || instance_functions.vkDestroyInstance == nullptr) return;
  if (messenger != VK_NULL_HANDLE) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        global.get_instance_proc_addr(instance, "vkDestroyDebugUtilsMessengerEXT"));
    if (destroy != nullptr) destroy(instance, messenger, nullptr);
  }
  instance_functions.vkDestroyInstance(instance, nullptr);
}

uint32_t subgroup_size_to_require(uint32_t least, uint32_t most, uint32_t most_subgroups) {
  constexpr uint32_t kMostInvocations = 512;  // of a workgroup of the library
  if (least >= most) return 0;
  const uint32_t wanted = least <= 16 ? 16 : 32;
  uint32_t size = std::clamp(wanted, least, most);
  while (size < most && uint64_t{size} * most_subgroups < kMostInvocations) size *= 2;
  return size;
}

std::vector<std::string> extensions_of(const InstanceFunctions& vk, VkPhysicalDevice physical) {
  uint32_t count = 0;
  vk.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vk.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions.data());
  extensions.resize(count);
  std::vector<std::string> out;
  std::transform(extensions.begin(), extensions.end(), std::back_inserter(out),
                 [](const VkExtensionProperties& extension) { return std::string(extension.extensionName); });
  std::sort(out.begin(), out.end());
  return out;
}

VkFormatFeatureFlags Device::Impl::features_of(VkFormat format) const {
  return format_features(instance_functions, handles.physical_device, format);
}

Result<void> visit_devices(const DeviceVisitor& visit) {
  OwnedDevice owned;
  if (auto created = create_instance(owned, false, false); !created) {
    if (created.error().code == ErrorCode::kNotFound) return {};
    return created.error();
  }
  auto candidates = enumerate(owned.instance_functions, owned.instance);
  if (!candidates) return candidates.error();
  for (const Candidate& candidate : *candidates) visit(owned.instance_functions, candidate.physical, candidate.impl);
  return {};
}

Result<std::vector<DeviceInfo>> list_devices() {
  std::vector<DeviceInfo> infos;
  auto visited = visit_devices(
      [&](const InstanceFunctions&, VkPhysicalDevice, const Device::Impl& device) { infos.push_back(device.info); });
  if (!visited) return visited.error();
  return infos;
}

namespace {

Result<void> check_queue_family(const InstanceFunctions& vk, const DeviceHandles& handles) {
  const auto families = queue_families(vk, handles.physical_device);
  const std::string family = "queue_family: " + std::to_string(handles.queue_family);
  if (handles.queue_family >= families.size()) {
    return invalid(family + " is none of " + std::to_string(families.size()));
  }
  if ((families[handles.queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return {};
  return invalid(family + " does not support compute");
}

}  // namespace

Result<Device> Device::adopt(const DeviceHandles& handles) {
  if (handles.instance == VK_NULL_HANDLE || handles.physical_device == VK_NULL_HANDLE ||
      handles.device == VK_NULL_HANDLE) {
    return invalid("instance, physical_device and device must not be null");
  }
  if (auto good = check_stated_version(handles.api_version); !good) return good.error();
  if ((handles.memory.allocate == nullptr) != (handles.memory.release == nullptr)) {
    return invalid("memory: one of allocate and release is null");
  }
  auto impl = std::make_shared<Impl>();
  impl->handles = handles;
  if (handles.allocation_callbacks != nullptr) {
    impl->allocation_callbacks = *handles.allocation_callbacks;
    impl->handles.allocation_callbacks = &impl->allocation_callbacks;
  }
  if (handles.get_instance_proc_addr == nullptr) {
    auto global = load_vulkan();
    if (!global) return global.error();
    impl->handles.get_instance_proc_addr = global->get_instance_proc_addr;
  }
  auto instance_functions = load_instance(impl->handles.get_instance_proc_addr, handles.instance);
  if (!instance_functions) return instance_functions.error();
  impl->instance_functions = *instance_functions;
  auto functions = load_device(instance_functions->vkGetDeviceProcAddr, handles.device);
  if (!functions) return functions.error();
  impl->functions = *functions;
  impl->debug = load_debug(impl->handles.get_instance_proc_addr, handles.instance);
  if (auto good = check_queue_family(impl->instance_functions, handles); !good) return good.error();
  if (auto good = check_real_version(impl->instance_functions, handles.device); !good) return good.error();
  describe(impl->instance_functions, handles.physical_device, *impl);
  impl->info.features = handles.features;
  choose_subgroup_size(impl->instance_functions, handles.physical_device, handles.features, *impl);
  impl->info.unusable_reason = requirement_missing(impl->info, handles.features);
  impl->info.usable = impl->info.unusable_reason.empty();
  if (!impl->info.usable) return unsupported(impl->info.unusable_reason, impl->info.name);
  if (auto used = use_tunings(handles.tunings, *impl); !used) return used.error();
  return Device(std::move(impl));
}

Result<Device> Device::open(const DeviceRequest& request) { return Impl::open(request, {}); }

Result<Device> Device::Impl::open(const DeviceRequest& request, const FeatureHook& enable_more) {
  if (auto checked = check_tunings(request.tunings); !checked) return checked.error();
  auto owned = std::make_shared<OwnedDevice>();
  owned->on_message = request.on_validation_message;
  auto instance = create_instance(*owned, request.validation, request.gpu_validation);
  if (!instance) return instance.error();
  auto candidates = enumerate(owned->instance_functions, owned->instance);
  if (!candidates) return candidates.error();
  auto chosen = choose(*candidates, request);
  if (!chosen) return chosen.error();
  Candidate& candidate = (*candidates)[*chosen];
  if (auto created = create_device(*owned, candidate, enable_more); !created) return created.error();

  auto impl = std::make_shared<Impl>(std::move(candidate.impl));
  impl->handles = {.get_instance_proc_addr = owned->global.get_instance_proc_addr,
                   .instance = owned->instance,
                   .physical_device = candidate.physical,
                   .device = owned->device,
                   .queue_family = candidate.family,
                   .features = impl->info.features,
                   .pipeline_cache = VK_NULL_HANDLE,
                   .api_version = kInstanceVersion,
                   .tunings = request.tunings};
  if (auto used = use_tunings(request.tunings, *impl); !used) return used.error();
  impl->instance_functions = owned->instance_functions;
  impl->functions = owned->functions;
  impl->debug = load_debug(owned->global.get_instance_proc_addr, owned->instance);
  impl->owned = std::move(owned);
  return Device(std::move(impl));
}

const DeviceInfo& Device::info() const { return impl_->info; }
const DeviceHandles& Device::handles() const { return impl_->handles; }

bool Device::can_read(Format format) const {
  return std::find(info().sources.begin(), info().sources.end(), format) != info().sources.end();
}
bool Device::can_write(Format format) const {
  return std::find(info().targets.begin(), info().targets.end(), format) != info().targets.end();
}

size_t Device::trim() const { return impl_->shared->trim(); }

Result<void> Device::run(const std::function<void(VkCommandBuffer)>& record) const {
  if (!impl_->owned) return invalid("run() needs a device from open()", impl_->info.name);
  const OwnedDevice& owned = *impl_->owned;
  const DeviceFunctions& vk = impl_->functions;
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = owned.pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkResult result = vk.vkAllocateCommandBuffers(owned.device, &allocate, &commands);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  result = vk.vkBeginCommandBuffer(commands, &begin);
  if (result == VK_SUCCESS) {
    record(commands);
    result = vk.vkEndCommandBuffer(commands);
  }
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  if (result == VK_SUCCESS) result = vk.vkQueueSubmit(owned.queue, 1, &submit, VK_NULL_HANDLE);
  if (result == VK_SUCCESS) result = vk.vkQueueWaitIdle(owned.queue);
  vk.vkFreeCommandBuffers(owned.device, owned.pool, 1, &commands);
  if (result != VK_SUCCESS) return vulkan_error(result, "running commands");
  return {};
}

}  // namespace onepass::vulkan
