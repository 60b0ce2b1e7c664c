// memory.cpp: see memory.hpp.
#include "vulkan/memory.hpp"

#include <algorithm>
#include <utility>

#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {

std::vector<uint32_t> memory_types(const VkPhysicalDeviceMemoryProperties& memory, const MemoryRequest& request) {
  constexpr VkMemoryPropertyFlags kUsable = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  std::vector<uint32_t> types;
  for (const VkMemoryPropertyFlags wanted : {request.required | request.preferred, request.required}) {
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
      const bool fits = (request.needs.memoryTypeBits >> i & 1U) != 0 && (flags & wanted) == wanted;
      if (!fits || (flags & ~kUsable) != 0 || std::find(types.begin(), types.end(), i) != types.end()) continue;
      types.push_back(i);
    }
  }
  return types;
}

Result<VkDeviceMemory> allocate_memory(const Device::Impl& device, const MemoryRequest& request) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = request.needs.size;
  const std::vector<uint32_t> types = memory_types(device.memory, request);
  if (types.empty()) return Error{ErrorCode::kDevice, "no memory type for an allocation", device.info.name};
  VkResult result = VK_SUCCESS;
  for (const uint32_t type : types) {
    info.memoryTypeIndex = type;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    result =
        device.functions.vkAllocateMemory(device.handles.device, &info, device.handles.allocation_callbacks, &memory);
    if (result == VK_SUCCESS) return memory;
    if (result != VK_ERROR_OUT_OF_DEVICE_MEMORY) break;
  }
  return vulkan_error(result, "vkAllocateMemory");
}

void Buffer::swap(Buffer& other) noexcept {
  std::swap(device, other.device);
  std::swap(buffer, other.buffer);
  std::swap(memory, other.memory);
  std::swap(size, other.size);
  std::swap(mapped, other.mapped);
}

Buffer::~Buffer() {
  if (device == nullptr) return;
  const DeviceFunctions& vk = device->functions;
  if (buffer != VK_NULL_HANDLE)
    vk.vkDestroyBuffer(device->handles.device, buffer, device->handles.allocation_callbacks);
  if (memory != VK_NULL_HANDLE)
    vk.vkFreeMemory(device->handles.device, memory, device->handles.allocation_callbacks);  // also unmaps it
}

Result<Buffer> Buffer::create(const Device::Impl& device, VkDeviceSize size, VkBufferUsageFlags usage,
                              bool host_visible, VkMemoryPropertyFlags preferred) {
  const DeviceFunctions& vk = device.functions;
  Buffer out;
  out.device = &device;
  out.size = size;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  VkResult result = vk.vkCreateBuffer(device.handles.device, &info, device.handles.allocation_callbacks, &out.buffer);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateBuffer");
  MemoryRequest request;
  vk.vkGetBufferMemoryRequirements(device.handles.device, out.buffer, &request.needs);
  // Other memory is slower. It is used where the memory of the device is exhausted: a GPU's host-visible memory of its
  // own may be a window of 256 MB that the application has filled.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  if (host_visible) {
    request.required = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    request.preferred = preferred;
  }
  auto memory = allocate_memory(device, request);
  if (!memory) return memory.error();
  out.memory = *memory;
  result = vk.vkBindBufferMemory(device.handles.device, out.buffer, out.memory, 0);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkBindBufferMemory");
  if (host_visible) result = vk.vkMapMemory(device.handles.device, out.memory, 0, VK_WHOLE_SIZE, 0, &out.mapped);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkMapMemory");
  return out;
}

void name_buffer(const Buffer& buffer, const char* technique, const char* role) {
  name_object(*buffer.device, VK_OBJECT_TYPE_BUFFER, buffer.buffer, technique, role);
  name_object(*buffer.device, VK_OBJECT_TYPE_DEVICE_MEMORY, buffer.memory, technique, role);
}

}  // namespace onepass::vulkan
