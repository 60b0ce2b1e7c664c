// host_image.cpp: copies images through packed buffers: levels one after the other, each at a multiple of 16 bytes,
// which is a multiple of every texel size. Images of sRGB formats that kernels store to also allow views as UNORM.
#include "vulkan/host_image.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "vulkan/image_view.hpp"

namespace onepass::vulkan {
namespace {

constexpr uint64_t kCopyAlign = 16;  // a multiple of every texel size
uint64_t align_copy(uint64_t bytes) { return round_up(bytes, kCopyAlign); }

}  // namespace

void DeviceImage::swap(DeviceImage& other) noexcept {
  std::swap(device, other.device);
  std::swap(image, other.image);
  memory.swap(other.memory);
  std::swap(format, other.format);
  std::swap(size, other.size);
  std::swap(levels, other.levels);
  std::swap(slices, other.slices);
}

DeviceImage::~DeviceImage() {
  if (image == VK_NULL_HANDLE) return;
  device->functions.vkDestroyImage(device->handles.device, image, device->handles.allocation_callbacks);
}

Result<DeviceImage> DeviceImage::create(const Device::Impl& device, const Request& request) {
  DeviceImage out;
  out.device = &device;
  out.format = request.format;
  out.size = request.size;
  out.levels = request.levels;
  out.slices = request.slices;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.format = static_cast<VkFormat>(request.format);
  // Stores to sRGB formats need views of the UNORM alias: the image allows them, or has the alias as its format.
  const VkFormat alias = storage_format(request.format);
  if (alias != info.format && (request.usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0) {
    if (device.features_of(info.format) == 0) {
      info.format = alias;  // same bytes
    } else {
      info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    }
  }
  info.imageType = VK_IMAGE_TYPE_2D;
  info.extent = {request.size.width, request.size.height, 1};
  info.mipLevels = request.levels;
  info.arrayLayers = request.slices;
  info.samples = request.samples;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = request.usage;
  info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  VkImageFormatProperties properties{};
  VkResult result = device.instance_functions.vkGetPhysicalDeviceImageFormatProperties(
      device.handles.physical_device, info.format, info.imageType, info.tiling, info.usage, info.flags, &properties);
  if (result == VK_SUCCESS &&
      (properties.maxExtent.width < request.size.width || properties.maxExtent.height < request.size.height ||
       properties.maxArrayLayers < request.slices || properties.maxMipLevels < request.levels ||
       (properties.sampleCounts & request.samples) == 0)) {
    result = VK_ERROR_FORMAT_NOT_SUPPORTED;
  }
  if (result != VK_SUCCESS) {
    return unsupported(device, "no image of format " + std::string(format_info(request.format).name) + ", " +
                                   size_text(request.size) + ", " + std::to_string(request.slices) + " slices");
  }
  result =
      device.functions.vkCreateImage(device.handles.device, &info, device.handles.allocation_callbacks, &out.image);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateImage");
  MemoryRequest memory_request{
      .needs = {}, .preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, .buffer = VK_NULL_HANDLE, .image = out.image};
  device.functions.vkGetImageMemoryRequirements(device.handles.device, out.image, &memory_request.needs);
  auto memory = DeviceMemory::allocate(device, memory_request);
  if (!memory) return memory.error();
  out.memory = std::move(*memory);
  const MemoryRange& range = out.memory.range();
  result = device.functions.vkBindImageMemory(device.handles.device, out.image, range.memory, range.offset);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkBindImageMemory");
  return out;
}

VkImageAspectFlags DeviceImage::aspect() const {
  return format_info(format).depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

void DeviceImage::transition(VkCommandBuffer commands, VkImageLayout from, const Accesses& before, VkImageLayout to,
                             const Accesses& after) const {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = before.types;
  barrier.dstAccessMask = after.types;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  // Without separateDepthStencilLayouts the layouts of depth and stencil change together.
  VkImageAspectFlags aspects = aspect();
  if (format == Format::kD24UnormS8 || format == Format::kD32SfloatS8) aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
  barrier.subresourceRange = {aspects, 0, levels, 0, slices};
  device->functions.vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

uint64_t DeviceImage::level_bytes(uint32_t level) const {
  const uint64_t width = std::max(1U, size.width >> level);
  const uint64_t height = std::max(1U, size.height >> level);
  return width * height * slices * format_info(format).bytes_per_texel;
}

void pack_view(const ImageView& view, std::byte* packed) {
  const size_t row_bytes = size_t{view.size.width} * format_info(view.format).bytes_per_texel;
  for (uint32_t s = 0; s < view.slices; ++s) {
    for (uint32_t y = 0; y < view.size.height; ++y, packed += row_bytes) std::memcpy(packed, view.row(y, s), row_bytes);
  }
}

void unpack_view(const std::byte* packed, const MutableImageView& view) {
  const size_t row_bytes = size_t{view.size.width} * format_info(view.format).bytes_per_texel;
  for (uint32_t s = 0; s < view.slices; ++s) {
    for (uint32_t y = 0; y < view.size.height; ++y, packed += row_bytes) std::memcpy(view.row(y, s), packed, row_bytes);
  }
}

void copy_levels(const DeviceImage& image, const Buffer& buffer, uint64_t offset, uint32_t first, uint32_t count,
                 bool to_image, VkCommandBuffer commands) {
  std::vector<VkBufferImageCopy> regions(count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t level = first + i;
    regions[i].bufferOffset = offset;
    regions[i].imageSubresource = {image.aspect(), level, 0, image.slices};
    regions[i].imageExtent = {std::max(1U, image.size.width >> level), std::max(1U, image.size.height >> level), 1};
    offset += align_copy(image.level_bytes(level));
  }
  const DeviceFunctions& vk = image.device->functions;
  if (to_image) {
    vk.vkCmdCopyBufferToImage(commands, buffer.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, count,
                              regions.data());
  } else {
    vk.vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.buffer, count,
                              regions.data());
  }
}

uint64_t packed_bytes(const DeviceImage& image, uint32_t first, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i) bytes += align_copy(image.level_bytes(first + i));
  return bytes;
}

Result<void> check_host_view(const ImageView& view, const std::string& name, Format format, Extent size,
                             uint32_t slices) {
  const FormatInfo& info = format_info(format);
  if (view.data == nullptr) return invalid(name + ": null data");
  if (view.format != format) {
    return invalid(name + ": format is " + std::string(texel_info(view.format).name) + ", not " +
                   std::string(info.name));
  }
  if (!(view.size == size)) {
    return invalid(name + ": size is " + size_text(view.size) + ", not " + size_text(size));
  }
  if (view.slices != slices) {
    return invalid(name + ": " + std::to_string(view.slices) + " slices, not " + std::to_string(slices));
  }
  if (view.row_stride < size_t{size.width} * info.bytes_per_texel) {
    return invalid(name + ": row_stride " + std::to_string(view.row_stride) + " is less than a row");
  }
  return {};
}

bool needs_decoding(const Device::Impl& device, Format source) {
  return (source == Format::kR8Srgb || source == Format::kRG8Srgb) &&
         (device.features_of(static_cast<VkFormat>(source)) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0;
}

Result<Image> decode_source(const ImageView& view, const std::string& name, Format source) {
  if (auto checked = check_host_view(view, name, source, view.size, view.slices); !checked) return checked.error();
  const Format floats = format_info(source).channels == 1 ? Format::kR32Sfloat : Format::kRG32Sfloat;
  auto decoded = Image::create(floats, view.size, view.slices);
  if (!decoded) return decoded;
  std::vector<float> row(size_t{4} * view.size.width);
  for (uint32_t slice = 0; slice < view.slices; ++slice) {
    for (uint32_t y = 0; y < view.size.height; ++y) {
      decode_row(view.format, view.row(y, slice), view.size.width, row.data());
      encode_row(decoded->format(), row.data(), view.size.width, decoded->view().row(y, slice));
    }
  }
  return decoded;
}

void record_upload(const DeviceImage& image, const Buffer& staging, uint64_t offset, VkCommandBuffer commands,
                   VkImageLayout layout) {
  image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                   kTransferWrites);
  copy_levels(image, staging, offset, 0, 1, true, commands);
  image.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kTransferWrites, layout, kShaderReads);
}

void record_download(const DeviceImage& image, const Buffer& staging, uint64_t offset, VkCommandBuffer commands) {
  image.transition(commands, VK_IMAGE_LAYOUT_GENERAL, kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                   kTransferReads);
  copy_levels(image, staging, offset, 0, image.levels, false, commands);
  record_barrier(*image.device, commands, {.before = kTransferWrites, .after = kHostReads});
}

}  // namespace onepass::vulkan
