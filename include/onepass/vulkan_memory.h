/* vulkan_memory.h: device memory from functions of the caller, for the library's own buffers and images. C and C++
 * share these structs: onepass_vulkan_device_handles.memory, onepass::vulkan::DeviceHandles::memory.
 *
 * The functions are called by create and bind functions, by the destruction of techniques, bindings and devices, and by
 * trim, from the threads that call these, several at once. They are not called while commands are recorded. They must
 * not throw, and not call the library. What they use outlives the device and everything made with it. */
#ifndef ONEPASS_VULKAN_MEMORY_H
#define ONEPASS_VULKAN_MEMORY_H

#include <stddef.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the memory of one buffer or image must be. The library sets struct_size; later versions may add fields at the
 * end. */
typedef struct onepass_vulkan_memory_request {
  size_t struct_size;
  VkMemoryRequirements requirements; /* Every type of memoryTypeBits has the required properties. */
  VkMemoryPropertyFlags required;    /* HOST_VISIBLE and HOST_COHERENT, or 0. */
  VkMemoryPropertyFlags preferred;   /* DEVICE_LOCAL or HOST_CACHED: faster. Without them everything works. */
  VkBuffer buffer;                   /* The buffer that will be bound to the memory, or null. For dedicated memory. */
  VkImage image;                     /* The image, with optimal tiling, or null: mind bufferImageGranularity. */
} onepass_vulkan_memory_request;

/* A range of device memory: requirements.size bytes from offset on. All fields are null before the call of allocate. */
typedef struct onepass_vulkan_memory {
  VkDeviceMemory memory; /* Not null. */
  VkDeviceSize offset;   /* A multiple of requirements.alignment. */
  void* mapped;          /* Address of the range. Not null if HOST_VISIBLE is required; otherwise not used. */
  void* allocation;      /* For the caller: release gets it back. */
} onepass_vulkan_memory;

/* The functions; both or neither. */
typedef struct onepass_vulkan_memory_callbacks {
  void* user; /* First argument of both functions. */
  /* Sets *memory and returns VK_SUCCESS. Otherwise the library returns an error from its create or bind function and
   * leaves nothing allocated: ONEPASS_DEVICE_LOST for VK_ERROR_DEVICE_LOST, ONEPASS_OUT_OF_MEMORY for all others. */
  VkResult (*allocate)(void* user, const onepass_vulkan_memory_request* request, onepass_vulkan_memory* memory);
  /* Gets what allocate has set. The buffer or image is destroyed. */
  void (*release)(void* user, const onepass_vulkan_memory* memory);
} onepass_vulkan_memory_callbacks;

#ifdef __cplusplus
}
#endif

#endif
