// own_device.cpp: creates the instance with validation and synchronisation validation, chooses a queue (with or without
// graphics), and enables no more features than the library requires and the tests use.
#include "tests/vulkan/own_device.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace onepass::testing {
namespace {

bool good(VkResult result, const char* call) {
  if (result != VK_SUCCESS) ADD_FAILURE() << call << ": VkResult " << result;
  return result == VK_SUCCESS;
}

}  // namespace

PFN_vkGetInstanceProcAddr system_loader() {
  static void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr
                            : reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
}

VKAPI_ATTR VkBool32 VKAPI_CALL OwnDevice::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                     VkDebugUtilsMessageTypeFlagsEXT,
                                                     const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  auto& self = *static_cast<OwnDevice*>(user);
  ++self.messages_;
  const std::lock_guard lock(self.text_mutex_);
  self.text_ += std::string(data->pMessage) + "\n";
  std::printf("validation: %s\n", data->pMessage);
  return VK_FALSE;
}

bool OwnDevice::create_instance(PFN_vkGetInstanceProcAddr get) {
  get_ = get;
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_3;
  VkDebugUtilsMessengerCreateInfoEXT messages{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messages.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messages.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  messages.pfnUserCallback = on_message;
  messages.pUserData = this;
  const char* wanted = std::getenv("ONEPASS_TEST_VALIDATION");
  const bool gpu = wanted != nullptr && std::string(wanted) == "gpu";
  const VkValidationFeatureEnableEXT enable[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
                                                 VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT};
  VkValidationFeaturesEXT features{
      VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messages, gpu ? 2U : 1U, enable, 0, nullptr};
  const char* layer = "VK_LAYER_KHRONOS_validation";
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  if (wanted == nullptr || std::string(wanted) != "0") {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
  if (!good(create(&info, nullptr, &instance), "vkCreateInstance")) return false;
  auto functions = vulkan::load_instance(get, instance);
  if (!functions) return false;
  vki = *functions;
  if (info.pNext == nullptr) return true;
  const auto messenger =
      reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(get(instance, "vkCreateDebugUtilsMessengerEXT"));
  return good(messenger(instance, &messages, nullptr, &messenger_), "vkCreateDebugUtilsMessengerEXT");
}

bool OwnDevice::choose(bool compute_only) {
  const char* selector = std::getenv("ONEPASS_TEST_DEVICE");
  const std::string name = selector != nullptr ? selector : "llvmpipe";
  const bool number = name.find_first_not_of("0123456789") == std::string::npos;
  uint32_t count = 0;
  vki.vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> physicals(count);
  vki.vkEnumeratePhysicalDevices(instance, &count, physicals.data());
  for (uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vki.vkGetPhysicalDeviceProperties2(physicals[i], &properties);
    const std::string device_name = properties.properties.deviceName;
    if (number ? std::stoul(name) == i : device_name.find(name) != std::string::npos) physical = physicals[i];
  }
  if (physical == VK_NULL_HANDLE) {
    ADD_FAILURE() << "no device " << name;
    return false;
  }
  vki.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vki.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  const auto take = [&](VkQueueFlags with, VkQueueFlags without) {
    for (uint32_t i = 0; i < count; ++i) {
      if ((families[i].queueFlags & with) != with || (families[i].queueFlags & without) != 0) continue;
      family = i;
      family_flags = families[i].queueFlags;
      return true;
    }
    return false;
  };
  if (compute_only && take(VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT)) return true;
  return take(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT, 0) || take(VK_QUEUE_COMPUTE_BIT, 0);
}

bool OwnDevice::create_device(bool descriptor_buffers) {
  VkPhysicalDeviceVulkan13Features features13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  features13.synchronization2 = VK_TRUE;
  features13.dynamicRendering = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
  features12.timelineSemaphore = VK_TRUE;
  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
  buffers.descriptorBuffer = VK_TRUE;
  if (descriptor_buffers) {
    features13.pNext = &buffers;
    features12.bufferDeviceAddress = VK_TRUE;
  }
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12};
  features.features.shaderStorageImageWriteWithoutFormat = VK_TRUE;  // the only feature that the library requires
  VkPhysicalDeviceFeatures2 offered{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  vki.vkGetPhysicalDeviceFeatures2(physical, &offered);
  features.features.textureCompressionBC = offered.features.textureCompressionBC;  // tests of block formats
  const float priority = 1;
  const VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  const char* extension = VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME;
  info.enabledExtensionCount = descriptor_buffers ? 1 : 0;
  info.ppEnabledExtensionNames = &extension;
  if (!good(vki.vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice")) return false;
  auto functions = vulkan::load_device(vki.vkGetDeviceProcAddr, device);
  if (!functions) return false;
  vk = *functions;
#define ONEPASS_LOAD(name) name = reinterpret_cast<PFN_##name>(vki.vkGetDeviceProcAddr(device, #name));
  ONEPASS_TEST_FUNCTIONS(ONEPASS_LOAD)
#undef ONEPASS_LOAD
  vk.vkGetDeviceQueue(device, family, 0, &queue);
  return true;
}

std::unique_ptr<OwnDevice> OwnDevice::create(PFN_vkGetInstanceProcAddr get, bool compute_only) {
  std::unique_ptr<OwnDevice> out(new OwnDevice);
  if (get == nullptr || !out->create_instance(get) || !out->choose(compute_only) || !out->create_device(false)) {
    return nullptr;
  }
  return out;
}

std::unique_ptr<OwnDevice> OwnDevice::create_with_descriptor_buffers(PFN_vkGetInstanceProcAddr get) {
  std::unique_ptr<OwnDevice> out(new OwnDevice);
  if (get == nullptr || !out->create_instance(get) || !out->choose(false)) return nullptr;
  const auto extensions = vulkan::extensions_of(out->vki, out->physical);
  const std::string wanted = VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME;
  if (!std::binary_search(extensions.begin(), extensions.end(), wanted)) return nullptr;
  return out->create_device(true) ? std::move(out) : nullptr;
}

std::string OwnDevice::take_messages() {
  const std::lock_guard lock(text_mutex_);
  messages_ = 0;
  return std::exchange(text_, {});
}

OwnDevice::~OwnDevice() {
  if (device != VK_NULL_HANDLE) vk.vkDestroyDevice(device, nullptr);
  if (messenger_ != VK_NULL_HANDLE) {
    reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(get_(instance, "vkDestroyDebugUtilsMessengerEXT"))(
        instance, messenger_, nullptr);
  }
  if (instance != VK_NULL_HANDLE) vki.vkDestroyInstance(instance, nullptr);
}

vulkan::DeviceHandles OwnDevice::handles() const {
  return {.get_instance_proc_addr = get_,
          .instance = instance,
          .physical_device = physical,
          .device = device,
          .queue_family = family,
          .features = {.storage_image_write_without_format = true},
          .pipeline_cache = VK_NULL_HANDLE};
}

OwnDevice::Commands::Commands(OwnDevice& d) : device(d) {
  const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, d.family};
  good(d.vk.vkCreateCommandPool(d.device, &info, nullptr, &pool), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                             VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  good(d.vk.vkAllocateCommandBuffers(d.device, &allocate, &buffer), "vkAllocateCommandBuffers");
}

OwnDevice::Commands::~Commands() { device.vk.vkDestroyCommandPool(device.device, pool, nullptr); }

void OwnDevice::Commands::begin() const {
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  good(device.vk.vkBeginCommandBuffer(buffer, &info), "vkBeginCommandBuffer");
}

void OwnDevice::Commands::end() const { good(device.vk.vkEndCommandBuffer(buffer), "vkEndCommandBuffer"); }

void OwnDevice::submit_and_wait(VkCommandBuffer commands) {
  const std::lock_guard lock(queue_mutex_);
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  good(vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  good(vk.vkQueueWaitIdle(queue), "vkQueueWaitIdle");
}

void OwnDevice::run(const std::function<void(VkCommandBuffer)>& record) {
  const Commands commands(*this);
  commands.begin();
  record(commands.buffer);
  commands.end();
  submit_and_wait(commands.buffer);
}

}  // namespace onepass::testing
