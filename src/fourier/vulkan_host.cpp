// vulkan_host.cpp: transforms of images in host memory, on a device: upload, record, download.
#include <cstring>
#include <string>

#include "fourier/vulkan_impl.hpp"
#include "image/error.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

/// The spectrum on the device, and a staging buffer for it and an image.
struct Memory {
  Buffer spectrum;
  Buffer staging;  // the spectrum, then the image
  uint64_t image_at = 0;
};

Result<Memory> create_memory(const Device::Impl& device, uint64_t spectrum_bytes, uint64_t image_bytes) {
  Memory out;
  out.image_at = aligned_range(spectrum_bytes);
  constexpr VkBufferUsageFlags copies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  auto spectrum = Buffer::create(device, spectrum_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | copies, false);
  if (!spectrum) return spectrum.error();
  auto staging = Buffer::create(device, out.image_at + image_bytes, copies, true);
  if (!staging) return staging.error();
  out.spectrum = std::move(*spectrum);
  out.staging = std::move(*staging);
  return out;
}

Result<void> check_spectrum(uint64_t bytes, const TransformPlan& plan) {
  if (bytes == plan.spectrum_bytes) return {};
  return invalid("spectrum: " + std::to_string(bytes) + " bytes, but the plan says " +
                 std::to_string(plan.spectrum_bytes));
}

}  // namespace

Result<HostTransformReport> transform_forward(const Device& device, const TransformOptions& options,
                                              const TransformTuning& tuning, const ImageView& source,
                                              std::span<std::byte> spectrum) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(with_target(options), &TransformOptions::source, "source", source,
                       [&](const TransformOptions& o, const ImageView& view) {
                         return transform_forward(device, o, tuning, view, spectrum);
                       });
  }
  auto transform = Transform::create(device, options, {.inverse = false}, tuning);
  if (!transform) return transform.error();
  const TransformPlan& plan = transform->plan();
  const TransformOptions& o = plan.options;
  auto checked = check_host_view(source, "source", o.source, source.size, o.slices);
  if (checked && (o.crop.x + o.crop.width > source.size.width || o.crop.y + o.crop.height > source.size.height)) {
    checked = invalid("crop: it ends at " + std::to_string(o.crop.x + o.crop.width) + "," +
                      std::to_string(o.crop.y + o.crop.height) + ", but the source has " + size_text(source.size));
  }
  if (checked) checked = check_spectrum(spectrum.size(), plan);
  if (!checked) return checked.error();

  const Device::Impl& impl = device.impl();
  auto image = DeviceImage::create(impl, {.format = o.source,
                                          .size = source.size,
                                          .levels = 1,
                                          .slices = o.slices,
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  if (!image) return image.error();
  auto memory = create_memory(impl, plan.spectrum_bytes, packed_bytes(*image, 0, 1));
  if (!memory) return memory.error();
  auto* bytes = static_cast<std::byte*>(memory->staging.mapped);
  pack_view(source, bytes + memory->image_at);
  auto binding = transform->bind({.source = {.image = image->image}, .spectrum = {.buffer = memory->spectrum.buffer}});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  auto ran = device.run([&](VkCommandBuffer commands) {
    record_upload(*image, memory->staging, memory->image_at, commands);
    timestamps.around(commands, [&] { transform->record_forward(commands, *binding); });
    record_barrier(impl, commands, {.before = kShaderWrites, .after = kTransferReads});
    const VkBufferCopy copy{0, 0, plan.spectrum_bytes};
    impl.functions.vkCmdCopyBuffer(commands, memory->spectrum.buffer, memory->staging.buffer, 1, &copy);
    record_barrier(impl, commands, {.before = kTransferWrites, .after = kHostReads});
  });
  if (!ran) return ran.error();
  std::memcpy(spectrum.data(), bytes, spectrum.size());
  return HostTransformReport{.plan = transform->dispatch_plan(), .gpu_microseconds = timestamps.microseconds()};
}

Result<HostTransformReport> transform_inverse(const Device& device, const TransformOptions& options,
                                              const TransformTuning& tuning, std::span<const std::byte> spectrum,
                                              const MutableImageView& target) {
  auto transform = Transform::create(device, options, {.forward = false}, tuning);
  if (!transform) return transform.error();
  const TransformPlan& plan = transform->plan();
  const TransformOptions& o = plan.options;
  auto checked = check_host_view(target, "target", o.target, {o.result.width, o.result.height}, o.slices);
  if (checked) checked = check_spectrum(spectrum.size(), plan);
  if (!checked) return checked.error();

  const Device::Impl& impl = device.impl();
  auto image = DeviceImage::create(impl, {.format = o.target,
                                          .size = target.size,
                                          .levels = 1,
                                          .slices = o.slices,
                                          .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
  if (!image) return image.error();
  auto memory = create_memory(impl, plan.spectrum_bytes, packed_bytes(*image, 0, 1));
  if (!memory) return memory.error();
  auto* bytes = static_cast<std::byte*>(memory->staging.mapped);
  std::memcpy(bytes, spectrum.data(), spectrum.size());
  auto binding = transform->bind({.spectrum = {.buffer = memory->spectrum.buffer}, .target = {.image = image->image}});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  auto ran = device.run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, plan.spectrum_bytes};
    impl.functions.vkCmdCopyBuffer(commands, memory->staging.buffer, memory->spectrum.buffer, 1, &copy);
    record_barrier(impl, commands, {.before = kTransferWrites, .after = kShaderReads});
    image->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, VK_IMAGE_LAYOUT_GENERAL, kShaderWrites);
    timestamps.around(commands, [&] { transform->record_inverse(commands, *binding); });
    record_download(*image, memory->staging, memory->image_at, commands);
  });
  if (!ran) return ran.error();
  unpack_view(bytes + memory->image_at, target);
  return HostTransformReport{.plan = transform->dispatch_plan(), .gpu_microseconds = timestamps.microseconds()};
}

}  // namespace onepass::vulkan
