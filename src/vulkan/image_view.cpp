// image_view.cpp: views for stores to sRGB formats have the UNORM format with the same bytes: the kernels encode the
// values themselves. The checks name the option that the device cannot serve.
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
  info.subresourceRange.levelCount = request.levels;
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
    case Format::kRG8Srgb:
      return VK_FORMAT_R8G8_UNORM;
    case Format::kRGBA8Srgb:
      return VK_FORMAT_R8G8B8A8_UNORM;
    case Format::kBGRA8Srgb:
      return VK_FORMAT_B8G8R8A8_UNORM;
    default:
      return static_cast<VkFormat>(format);
  }
}

TargetKind target_kind(const FormatInfo& target) {
  if (target.format == Format::kB10G11R11Ufloat) return kKindB10G11R11;
  if (target.type == ChannelType::kUnorm) return kKindUnorm;
  return target.type == ChannelType::kFloat && target.bytes_per_texel == 2 * target.channels ? kKindHalf : kKindFloat;
}

const char* kernel_tail(SourceUsage usage, uint32_t samples) {
  if (usage == SourceUsage::kStorage) return "_storage";
  return samples > 1 ? "_multisample" : "";
}

namespace {

Result<void> check_storage(const Device::Impl& device, const ImageNeeds& needs, VkFormatFeatureFlags features) {
  if (!device.handles.features.storage_image_read_without_format) {
    return unsupported(device,
                       "tuning.source_usage: storage: feature shaderStorageImageReadWithoutFormat is not enabled");
  }
  if (needs.samples > 1) {
    return unsupported(device, "tuning.source_usage: storage, but multisampled sources are sampled only");
  }
  if ((features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) == 0) {
    return unsupported(device, "source: the device has no storage images of " + format_name(needs.source));
  }
  return {};
}

Result<void> check_source(const Device::Impl& device, const ImageNeeds& needs) {
  if (auto known = check_enumerators("tuning.source_usage", needs.source_usage); !known) return known.error();
  const VkFormatFeatureFlags features = device.features_of(static_cast<VkFormat>(needs.source));
  if (needs.source_usage == SourceUsage::kStorage) return check_storage(device, needs, features);
  if ((features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) {
    return unsupported(device, "source: the device cannot sample " + format_name(needs.source));
  }
  const VkSampleCountFlags counts = format_info(needs.source).depth ? device.limits.sampledImageDepthSampleCounts
                                                                    : device.limits.sampledImageColorSampleCounts;
  if (needs.samples > 1 && (counts & needs.samples) == 0) {
    return unsupported(device, "samples: the device cannot sample images of " + std::to_string(needs.samples) +
                                   " samples of " + format_name(needs.source));
  }
  return {};
}

}  // namespace

Result<void> check_layout(SourceUsage usage, VkImageLayout layout) {
  if (usage == SourceUsage::kSampled || layout == VK_IMAGE_LAYOUT_GENERAL) return {};
  return invalid("source_layout: " + std::to_string(layout) +
                 ", but a source that is read as a storage image is in VK_IMAGE_LAYOUT_GENERAL (1)");
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
  if (auto checked = check_source(device, needs); !checked) return checked;
  if ((device.features_of(storage_format(needs.target)) & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) == 0) {
    return unsupported(device, "target: the device cannot store to " + format_name(needs.target));
  }
  return {};
}

}  // namespace onepass::vulkan
