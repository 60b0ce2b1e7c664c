// memory.cpp: tries memory types with the preferred properties first, then those with the required ones only; a type
// that is exhausted gives way to the next. The caller's callbacks, if given, replace vkAllocateMemory.
#include "vulkan/memory.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {
namespace {

std::string text_of(const MemoryRequest& request) {
  return std::to_string(request.needs.size) + " bytes for " +
         (request.image != VK_NULL_HANDLE ? "an image" : "a buffer");
}

// The error of a callback that returned no memory.
Error failed_callback(VkResult result, const MemoryRequest& request) {
  Error error = vulkan_error(result, "memory.allocate");
  if (error.code == ErrorCode::kDevice) {
    error.code = ErrorCode::kOutOfMemory;
    error.message = "memory.allocate returned no memory (VkResult " + std::to_string(result) + ")";
  }
  error.context = text_of(request);
  return error;
}

}  // namespace

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

DeviceMemory::~DeviceMemory() {
  if (range_.memory == VK_NULL_HANDLE) return;
  const DeviceHandles& handles = device_->handles;
  if (handles.memory.release != nullptr) {
    handles.memory.release(handles.memory.user, &range_);
  } else {
    device_->functions.vkFreeMemory(handles.device, range_.memory, handles.allocation_callbacks);  // also unmaps it
  }
}

void DeviceMemory::swap(DeviceMemory& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(range_, other.range_);
}

Result<DeviceMemory> DeviceMemory::allocate(const Device::Impl& device, const MemoryRequest& request) {
  const std::vector<uint32_t> types = memory_types(device.memory, request);
  if (types.empty()) return Error{ErrorCode::kDevice, "no memory type for an allocation", device.info.name};
  return device.handles.memory.allocate != nullptr ? from_caller(device, request, types)
                                                   : from_driver(device, request, types);
}

Result<DeviceMemory> DeviceMemory::from_caller(const Device::Impl& device, const MemoryRequest& request,
                                               const std::vector<uint32_t>& types) {
  const MemoryCallbacks& callbacks = device.handles.memory;
  MemoryCallbackRequest asked{};
  asked.struct_size = sizeof asked;
  asked.requirements = request.needs;
  asked.requirements.memoryTypeBits = 0;
  for (const uint32_t type : types) asked.requirements.memoryTypeBits |= 1U << type;
  asked.required = request.required;
  asked.preferred = request.preferred;
  asked.buffer = request.buffer;
  asked.image = request.image;
  MemoryRange range{};
  const VkResult result = callbacks.allocate(callbacks.user, &asked, &range);
  if (result != VK_SUCCESS) return failed_callback(result, request);
  if (range.memory == VK_NULL_HANDLE) return invalid("memory.allocate: null memory", text_of(request));
  DeviceMemory memory(device, range);  // released after an error
  if (range.offset % request.needs.alignment != 0) {
    return invalid("memory.allocate: offset " + std::to_string(range.offset) + " is not a multiple of " +
                       std::to_string(request.needs.alignment),
                   text_of(request));
  }
  if ((request.required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 && range.mapped == nullptr) {
    return invalid("memory.allocate: mapped is null, but the memory must be host-visible", text_of(request));
  }
  return memory;
}

Result<DeviceMemory> DeviceMemory::from_driver(const Device::Impl& device, const MemoryRequest& request,
                                               const std::vector<uint32_t>& types) {
  const DeviceHandles& handles = device.handles;
  const DeviceFunctions& vk = device.functions;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = request.needs.size;
  MemoryRange range{};
  VkResult result = VK_SUCCESS;
  for (const uint32_t type : types) {
    info.memoryTypeIndex = type;
    result = vk.vkAllocateMemory(handles.device, &info, handles.allocation_callbacks, &range.memory);
    if (result != VK_ERROR_OUT_OF_DEVICE_MEMORY) break;
  }
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateMemory");
  DeviceMemory memory(device, range);
  if ((request.required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) return memory;
  result = vk.vkMapMemory(handles.device, range.memory, 0, VK_WHOLE_SIZE, 0, &memory.range_.mapped);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkMapMemory");
  return memory;
}

void Buffer::swap(Buffer& other) noexcept {
  std::swap(device, other.device);
  std::swap(buffer, other.buffer);
  memory.swap(other.memory);
  std::swap(size, other.size);
  std::swap(mapped, other.mapped);
}

Buffer::~Buffer() {
  if (buffer == VK_NULL_HANDLE) return;
  device->functions.vkDestroyBuffer(device->handles.device, buffer, device->handles.allocation_callbacks);
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
  request.buffer = out.buffer;
  // Other memory is slower. It is used where the memory of the device is exhausted: a GPU's host-visible memory of its
  // own may be a window of 256 MB that the application has filled.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  if (host_visible) {
    request.required = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    request.preferred = preferred;
  }
  auto memory = DeviceMemory::allocate(device, request);
  if (!memory) return memory.error();
  out.memory = std::move(*memory);
  const MemoryRange& range = out.memory.range();
  if (host_visible) out.mapped = range.mapped;
  result = vk.vkBindBufferMemory(device.handles.device, out.buffer, range.memory, range.offset);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkBindBufferMemory");
  return out;
}

void name_buffer(const Buffer& buffer, const char* technique, const char* role) {
  const Device::Impl& device = *buffer.device;
  name_object(device, VK_OBJECT_TYPE_BUFFER, buffer.buffer, technique, role);
  if (device.handles.memory.allocate != nullptr) return;
  name_object(device, VK_OBJECT_TYPE_DEVICE_MEMORY, buffer.memory.range().memory, technique, role);
}

}  // namespace onepass::vulkan
