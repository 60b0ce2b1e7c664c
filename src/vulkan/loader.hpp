// loader.hpp: Vulkan functions, loaded at run time.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>

#include "onepass/result.hpp"

namespace onepass::vulkan {

// Functions that need no instance, an instance, or a device. An X-macro, so that each name is written once.
// clang-format off
#define ONEPASS_GLOBAL_FUNCTIONS(X) \
  X(vkCreateInstance) X(vkEnumerateInstanceVersion) X(vkEnumerateInstanceLayerProperties) \
  X(vkEnumerateInstanceExtensionProperties)
#define ONEPASS_INSTANCE_FUNCTIONS(X) \
  X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties2) \
  X(vkGetPhysicalDeviceFeatures2) X(vkGetPhysicalDeviceFormatProperties) X(vkCreateDevice) \
  X(vkGetPhysicalDeviceQueueFamilyProperties) X(vkGetPhysicalDeviceMemoryProperties) X(vkGetDeviceProcAddr) \
  X(vkEnumerateDeviceExtensionProperties) X(vkGetPhysicalDeviceImageFormatProperties)
#define ONEPASS_DEVICE_FUNCTIONS(X) \
  X(vkDestroyDevice) X(vkGetDeviceQueue) X(vkDeviceWaitIdle) X(vkQueueSubmit) X(vkQueueWaitIdle) \
  X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkAllocateCommandBuffers) X(vkFreeCommandBuffers) \
  X(vkBeginCommandBuffer) X(vkEndCommandBuffer) X(vkCreateFence) X(vkDestroyFence) X(vkWaitForFences) \
  X(vkCreateShaderModule) X(vkDestroyShaderModule) X(vkCreateComputePipelines) X(vkDestroyPipeline) \
  X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) X(vkCreateDescriptorSetLayout) \
  X(vkDestroyDescriptorSetLayout) X(vkCreateDescriptorPool) X(vkDestroyDescriptorPool) \
  X(vkAllocateDescriptorSets) X(vkUpdateDescriptorSets) X(vkCreateSampler) X(vkDestroySampler) X(vkCreateImage) \
  X(vkDestroyImage) X(vkCreateImageView) X(vkDestroyImageView) X(vkCreateBuffer) X(vkDestroyBuffer) \
  X(vkAllocateMemory) X(vkFreeMemory) X(vkMapMemory) X(vkUnmapMemory) X(vkBindBufferMemory) X(vkBindImageMemory) \
  X(vkGetBufferMemoryRequirements) X(vkGetImageMemoryRequirements) X(vkCreateQueryPool) X(vkDestroyQueryPool) \
  X(vkGetQueryPoolResults) X(vkCmdCopyBuffer) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkCmdPushConstants) \
  X(vkCmdDispatch) X(vkCmdDispatchIndirect) X(vkCmdPipelineBarrier) X(vkCmdFillBuffer) X(vkCmdUpdateBuffer) \
  X(vkCmdCopyBufferToImage) \
  X(vkCmdCopyImageToBuffer) X(vkCmdWriteTimestamp) X(vkCmdResetQueryPool)
// clang-format on

#define ONEPASS_DECLARE(name) PFN_##name name = nullptr;
struct GlobalFunctions {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  ONEPASS_GLOBAL_FUNCTIONS(ONEPASS_DECLARE)
};
struct InstanceFunctions {
  ONEPASS_INSTANCE_FUNCTIONS(ONEPASS_DECLARE)
};
struct DeviceFunctions {
  ONEPASS_DEVICE_FUNCTIONS(ONEPASS_DECLARE)
};
#undef ONEPASS_DECLARE

/// Functions of VK_EXT_debug_utils; null where the instance does not have it.
struct DebugFunctions {
  PFN_vkSetDebugUtilsObjectNameEXT set_name = nullptr;
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_label = nullptr;
  PFN_vkCmdEndDebugUtilsLabelEXT end_label = nullptr;
};

/// Opens the system's loader once per process; it is never closed. Errors: kNotFound if there is none, kDevice if it
/// lacks a function.
Result<GlobalFunctions> load_vulkan();

/// Loads the functions of an instance. Errors: kDevice, naming the first function that is missing.
Result<InstanceFunctions> load_instance(PFN_vkGetInstanceProcAddr get, VkInstance instance);

/// Loads the functions of a device. Errors: kDevice, naming the first function that is missing.
Result<DeviceFunctions> load_device(PFN_vkGetDeviceProcAddr get, VkDevice device);

/// All functions of VK_EXT_debug_utils that the library uses, or none.
DebugFunctions load_debug(PFN_vkGetInstanceProcAddr get, VkInstance instance);

/// The error of a failed Vulkan call: kOutOfMemory for exhausted memory, kDeviceLost, otherwise kDevice.
Error vulkan_error(VkResult result, const char* call);

}  // namespace onepass::vulkan
