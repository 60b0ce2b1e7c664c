// image_view.cpp: see image_view.hpp.
#include "vulkan/image_view.hpp"

#include <string>

namespace onepass::vulkan {
namespace {

std::string format_name(Format format) { return std::string(format_info(format).name); }

}  // namespace

Result<VkImageView> create_view(const Device::Impl& device, const ViewRequest& request) {
  VkImageViewUsageCreateInfo usage{};
  usage.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO;
  usage.usage = request.usage;
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.pNext = &usage;
  info.image = request.image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  const bool stored = (request.usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0;
  info.format = stored ? storage_format(request.format) : static_cast<VkFormat>(request.format);
  info.subresourceRange.aspectMask =
      format_info(request.format).depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  info.subresourceRange.baseMipLevel = request.level;
  info.subresourceRange.levelCount = 1;
  info.subresourceRange.baseArrayLayer = request.first_slice;
  info.subresourceRange.layerCount = request.slices;
  VkImageView view = VK_NULL_HANDLE;
  const VkResult result =
      device.functions.vkCreateImageView(device.handles.device, &info, device.handles.allocation_callbacks, &view);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateImageView");
  return view;
}

VkFormat storage_format(Format format) {
  switch (format) {
    case Format::kR8Srgb:
      return VK_FORMAT_R8_UNORM;
    case Format::kRGBA8Srgb:
      return VK_FORMAT_R8G8B8A8_UNORM;
    default:
      return static_cast<VkFormat>(format);
  }
}

TargetKind target_kind(const FormatInfo& target) {
  if (target.format == Format::kB10G11R11Ufloat) return kKindB10G11R11;
  if (target.type == ChannelType::kUnorm) return kKindUnorm;
  return target.type == ChannelType::kFloat && target.bytes_per_texel == 2 * target.channels ? kKindHalf : kKindFloat;
}

Result<void> check_images(const Device::Impl& device, const ImageNeeds& needs) {
  const VkPhysicalDeviceLimits& limits = device.limits;
  const auto [width, height] = needs.size;
  if (width > limits.maxImageDimension2D || height > limits.maxImageDimension2D) {
    return unsupported(device, "size: " + std::to_string(width) + "x" + std::to_string(height) +
                                   " exceeds maxImageDimension2D " + std::to_string(limits.maxImageDimension2D));
  }
  if (needs.slices > limits.maxImageArrayLayers) {
    return unsupported(device, "slices: " + std::to_string(needs.slices) + " exceeds maxImageArrayLayers " +
                                   std::to_string(limits.maxImageArrayLayers));
  }
  if ((device.features_of(static_cast<VkFormat>(needs.source)) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) {
    return unsupported(device, "source: the device cannot sample " + format_name(needs.source));
  }
  if ((device.features_of(storage_format(needs.target)) & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) == 0) {
    return unsupported(device, "target: the device cannot store to " + format_name(needs.target));
  }
  return {};
}

}  // namespace onepass::vulkan
