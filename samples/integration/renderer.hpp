// renderer.hpp: what the programs of this folder have in common with every renderer: instance, device, images, buffers,
// barriers and frames in flight. docs/integration.md explains the parts that concern onepass.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline int fail(const char* what) { return std::fprintf(stderr, "%s\n", what), 1; }

inline void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) std::exit(fail(what));
}

inline VkInstance instance = VK_NULL_HANDLE;
inline VkPhysicalDevice physical = VK_NULL_HANDLE;
inline VkDevice device = VK_NULL_HANDLE;
inline VkQueue queue = VK_NULL_HANDLE;
inline uint32_t family = 0;

inline uint32_t memory_type(uint32_t bits, VkMemoryPropertyFlags flags) {
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if ((bits >> i & 1U) != 0 && (memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
  }
  std::exit(fail("no such memory"));
}

inline VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags flags) {
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size,
                                  memory_type(needs.memoryTypeBits, flags)};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(vkAllocateMemory(device, &info, nullptr, &memory), "vkAllocateMemory");
  return memory;
}

struct GpuImage {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;

  GpuImage(VkFormat format, VkExtent2D size, uint32_t levels, VkImageUsageFlags usage) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {size.width, size.height, 1};
    info.mipLevels = levels;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = usage;
    check(vkCreateImage(device, &info, nullptr, &image), "vkCreateImage");
    VkMemoryRequirements needs{};
    vkGetImageMemoryRequirements(device, image, &needs);
    memory = allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    check(vkBindImageMemory(device, image, memory, 0), "vkBindImageMemory");
  }
  GpuImage(const GpuImage&) = delete;
  ~GpuImage() {
    vkDestroyImage(device, image, nullptr);
    vkFreeMemory(device, memory, nullptr);
  }
};

struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;

  Buffer(VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags flags) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage;
    check(vkCreateBuffer(device, &info, nullptr, &buffer), "vkCreateBuffer");
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    memory = allocate(needs, flags);
    check(vkBindBufferMemory(device, buffer, memory, 0), "vkBindBufferMemory");
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() {
    vkDestroyBuffer(device, buffer, nullptr);
    vkFreeMemory(device, memory, nullptr);
  }
};

inline void create_instance() {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (count == 0) std::exit(fail("no Vulkan device"));
  std::vector<VkQueueFamilyProperties> families(32);
  count = 32;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  constexpr VkQueueFlags kBoth = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  while (family + 1 < count && (families[family].queueFlags & kBoth) != kBoth) ++family;
}

inline void create_device() {
  // [device]
  VkPhysicalDeviceVulkan13Features features13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  features13.synchronization2 = VK_TRUE;  // for your renderer; onepass requires none of these three
  features13.dynamicRendering = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
  features12.timelineSemaphore = VK_TRUE;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12};
  features.features.shaderStorageImageWriteWithoutFormat = VK_TRUE;  // required by onepass
  // [/device]
  const float priority = 1;
  const VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
  vkGetDeviceQueue(device, family, 0, &queue);
}

// [barrier]
inline void barrier(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkPipelineStageFlags2 from,
                    VkAccessFlags2 wrote, VkImageLayout old_layout, VkPipelineStageFlags2 to, VkAccessFlags2 reads,
                    VkImageLayout new_layout) {
  VkImageMemoryBarrier2 b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  b.srcStageMask = from;
  b.srcAccessMask = wrote;
  b.dstStageMask = to;
  b.dstAccessMask = reads;
  b.oldLayout = old_layout;
  b.newLayout = new_layout;
  b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image;
  b.subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &b;
  vkCmdPipelineBarrier2(commands, &info);
}
// [/barrier]

inline void memory_barrier(VkCommandBuffer commands, VkPipelineStageFlags2 from, VkAccessFlags2 wrote,
                           VkPipelineStageFlags2 to, VkAccessFlags2 reads) {
  const VkMemoryBarrier2 b{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, from, wrote, to, reads};
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &b;
  vkCmdPipelineBarrier2(commands, &info);
}

constexpr uint32_t kFramesInFlight = 2;

/// The command buffers of the frames in flight, and the timeline semaphore that counts finished frames.
struct Frames {
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer buffers[kFramesInFlight] = {};
  VkSemaphore timeline = VK_NULL_HANDLE;

  Frames() {
    const VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                            VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, family};
    check(vkCreateCommandPool(device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo buffer_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                                  VK_COMMAND_BUFFER_LEVEL_PRIMARY, kFramesInFlight};
    check(vkAllocateCommandBuffers(device, &buffer_info, buffers), "vkAllocateCommandBuffers");
    const VkSemaphoreTypeCreateInfo timeline_info{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                                  VK_SEMAPHORE_TYPE_TIMELINE, 0};
    const VkSemaphoreCreateInfo semaphore_info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &timeline_info, 0};
    check(vkCreateSemaphore(device, &semaphore_info, nullptr, &timeline), "vkCreateSemaphore");
  }
  Frames(const Frames&) = delete;
  ~Frames() {
    vkDestroySemaphore(device, timeline, nullptr);
    vkDestroyCommandPool(device, pool, nullptr);
  }

  /// Waits until so many frames have finished.
  void wait(uint64_t count) const {
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline;
    info.pValues = &count;
    check(vkWaitSemaphores(device, &info, UINT64_MAX), "vkWaitSemaphores");
  }

  void submit(VkCommandBuffer commands, uint64_t frame) const {
    // [submit]
    VkCommandBufferSubmitInfo submitted{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
    submitted.commandBuffer = commands;
    VkSemaphoreSubmitInfo done{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    done.semaphore = timeline;
    done.value = frame + 1;
    done.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &submitted;
    submit.signalSemaphoreInfoCount = 1;
    submit.pSignalSemaphoreInfos = &done;
    check(vkQueueSubmit2(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit2");
    // [/submit]
  }
};
