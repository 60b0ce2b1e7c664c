// vulkan_operations_host.hpp: an operation from one image to another on host memory: upload, record, download.
#pragma once

#include <functional>

#include "fourier/vulkan_fused.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {

inline constexpr VkBufferUsageFlags kCopies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

inline Result<DeviceImage> create_image(const Device::Impl& device, const ImageView& view, VkImageUsageFlags usage) {
  return DeviceImage::create(
      device, {.format = view.format, .size = view.size, .levels = 1, .slices = view.slices, .usage = usage});
}

/// Runs an operation from one image to another. `prepare` is recorded before it and is not timed.
template <typename Operation>
Result<HostOperationReport> run_on_images(const Device& device, const Operation& operation, const ImageView& source,
                                          const MutableImageView& target,
                                          const std::function<void(VkCommandBuffer)>& prepare) {
  const Device::Impl& impl = device.impl();
  auto from = create_image(impl, source, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  if (!from) return from.error();
  auto to = create_image(impl, target, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  if (!to) return to.error();
  const uint64_t source_bytes = aligned_range(packed_bytes(*from, 0, 1));
  auto staging = Buffer::create(impl, source_bytes + packed_bytes(*to, 0, 1), kCopies, true);
  if (!staging) return staging.error();
  auto* bytes = static_cast<std::byte*>(staging->mapped);
  pack_view(source, bytes);
  auto binding = operation.bind({.source = {.image = from->image}, .target = {.image = to->image}});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  auto ran = device.run([&](VkCommandBuffer commands) {
    record_upload(*from, *staging, 0, commands);
    to->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, VK_IMAGE_LAYOUT_GENERAL, kShaderWrites);
    prepare(commands);
    timestamps.around(commands, [&] { operation.record(commands, *binding); });
    record_download(*to, *staging, source_bytes, commands);
  });
  if (!ran) return ran.error();
  unpack_view(bytes + source_bytes, target);
  return HostOperationReport{.plan = operation.dispatch_plan(), .gpu_microseconds = timestamps.microseconds()};
}

}  // namespace onepass::vulkan
