// image_view.hpp: views of the images of techniques, and checks of device support for these images.
#pragma once

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// Request for a view of an array of slices.
struct ViewRequest {
  VkImage image = VK_NULL_HANDLE;
  Format format = Format::kUndefined;
  uint32_t level = 0;
  uint32_t first_slice = 0;
  uint32_t slices = 1;
  VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT;  // or STORAGE, through storage_format(); stated because a
                                                         // mutable image can have further usages
  const char* role = "source";                           // for debug names
  uint32_t levels = 1;
};

inline VkImageUsageFlags usage_bit(SourceUsage usage) {
  return usage == SourceUsage::kStorage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
}
inline VkDescriptorType descriptor_type(SourceUsage usage) {
  return usage == SourceUsage::kStorage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}
/// The layout in which a technique reads an image that the library uploaded.
inline VkImageLayout source_layout(SourceUsage usage) {
  return usage == SourceUsage::kStorage ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
}
/// Suffix of the names of kernels that read such a source: empty if it is sampled and has one sample.
const char* kernel_tail(SourceUsage usage, uint32_t samples);

/// The view of the source of a technique's images, and of their target.
template <typename Images>
ViewRequest view_of_source(const Images& images, Format format, uint32_t slices,
                           SourceUsage usage = SourceUsage::kSampled) {
  return {images.source, format, images.source_level, images.source_slice, slices, usage_bit(usage)};
}
template <typename Images>
ViewRequest view_of_target(const Images& images, Format format, uint32_t slices) {
  return {images.target, format, images.target_level, images.target_slice, slices, VK_IMAGE_USAGE_STORAGE_BIT,
          "target"};
}

Result<VkImageView> create_view(const Device::Impl& device, const ViewRequest& request);

/// The format of the view through which an image is written: sRGB formats have no storage support, so UNORM takes their
/// place.
VkFormat storage_format(Format format);

/// The conversion that a kernel does before a store, with the numbers of src/vulkan/target_texel.glsl.
enum TargetKind : uint32_t { kKindFloat = 0, kKindUnorm = 1, kKindHalf = 2, kKindB10G11R11 = 3, kKindHalfPacked = 4 };
TargetKind target_kind(const FormatInfo& target);

/// The images of a technique: a source and a target with usage STORAGE.
struct ImageNeeds {
  Extent size;
  uint32_t slices = 1;
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  uint32_t samples = 1;  // of the source
  SourceUsage source_usage = SourceUsage::kSampled;
};

/// Checks that the device supports these images. Errors: kUnsupported, naming the field; kInvalidArgument.
Result<void> check_images(const Device::Impl& device, const ImageNeeds& needs);

/// Checks the layout of a source. Errors: kInvalidArgument.
Result<void> check_layout(SourceUsage usage, VkImageLayout layout);

}  // namespace onepass::vulkan
