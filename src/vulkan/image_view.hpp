// image_view.hpp: views of the images that techniques read and write, and what a device must be able to do with those.
#pragma once

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// A view of one level of an array of slices.
struct ViewRequest {
  VkImage image = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;
  uint32_t level = 0;
  uint32_t first_slice = 0;
  uint32_t slices = 1;
  VkImageUsageFlags usage = 0;  // a view of a mutable image states its own, which its format must support
  bool depth = false;
};

Result<VkImageView> create_view(const Device::Impl& device, const ViewRequest& request);

/// The format an image is stored through: sRGB images through their UNORM twin, as they have no stores of their own.
VkFormat storage_format(Format format);

/// What a kernel has to do before a store. Numbers of src/vulkan/target_texel.glsl.
enum TargetKind : uint32_t { kKindFloat = 0, kKindUnorm = 1, kKindHalf = 2, kKindB10G11R11 = 3, kKindHalfPacked = 4 };
TargetKind target_kind(const FormatInfo& target);

/// The largest images of a technique: a sampled source, a stored target.
struct ImageNeeds {
  Extent size;
  uint32_t slices = 1;
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
};

/// Errors: kUnsupported, naming the field, when the device has no such images.
Result<void> check_images(const Device::Impl& device, const ImageNeeds& needs);

}  // namespace onepass::vulkan
