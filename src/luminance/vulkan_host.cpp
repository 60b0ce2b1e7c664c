// vulkan_host.cpp: meter_image(): uploads an image from host memory, meters it on a device, and reads the results back.
#include <cstring>
#include <string>

#include "luminance/vulkan_impl.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

struct Job {
  const Meter& meter;
  const MeterBinding& binding;
  const DeviceImage& source;
  const DeviceImage* mask;  // or null
  const Buffer& staging;    // the source, then the mask
  const Buffer& scratch;
  const MeterFrame& frame;
  const Timestamps& timestamps;
};

void record_job(const Job& job, VkCommandBuffer commands) {
  const Device::Impl& device = *job.source.device;
  record_upload(job.source, job.staging, 0, commands);
  if (job.mask != nullptr) record_upload(*job.mask, job.staging, packed_bytes(job.source, 0, 1), commands);
  device.functions.vkCmdFillBuffer(commands, job.scratch.buffer, 0, VK_WHOLE_SIZE, 0);
  record_barrier(device, commands, {.before = kTransferWrites | kHostWrites, .after = kShaderReads | kShaderWrites});
  job.timestamps.around(commands, [&] { job.meter.record(commands, job.binding, job.frame); });
  record_barrier(device, commands, {.before = kShaderWrites, .after = kHostReads});
}

Result<void> check_call(const MeterOptions& options, const ImageView& source, std::span<MeterResult> results,
                        const MeterFrame& frame, const ImageView& mask) {
  auto checked = check_host_view(source, "source", options.source, options.size, options.slices);
  if (!checked) return checked;
  if (options.metering == Metering::kMask) {
    checked = check_host_view(mask, "mask", options.mask, options.size, 1);
    if (!checked) return checked;
  } else if (mask.data != nullptr) {
    return invalid("mask: given, but metering is not by mask");
  }
  if (results.size() != options.slices) {
    return invalid("results: " + std::to_string(results.size()) + ", expected " + std::to_string(options.slices));
  }
  if (auto seconds = luminance::seconds_of(frame); !seconds) return seconds.error();
  return {};
}

Result<DeviceImage> create_source(const Device::Impl& device, const ImageView& view) {
  return DeviceImage::create(device, {.format = view.format,
                                      .size = view.size,
                                      .levels = 1,
                                      .slices = view.slices,
                                      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
}

}  // namespace

Result<HostMeterReport> meter_image(const Device& device, const MeterOptions& options, const MeterTuning& tuning,
                                    const ImageView& source, std::span<MeterResult> results, const MeterFrame& frame,
                                    const ImageView& mask) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(options, &MeterOptions::source, "source", source,
                       [&](const MeterOptions& o, const ImageView& view) {
                         return meter_image(device, o, tuning, view, results, frame, mask);
                       });
  }
  if (options.metering == Metering::kMask && needs_decoding(device.impl(), options.mask)) {
    return run_decoded(options, &MeterOptions::mask, "mask", mask, [&](const MeterOptions& o, const ImageView& view) {
      return meter_image(device, o, tuning, source, results, frame, view);
    });
  }
  auto meter = Meter::create(device, options, tuning);
  if (!meter) return meter.error();
  if (auto checked = check_call(options, source, results, frame, mask); !checked) return checked.error();
  const Device::Impl& impl = device.impl();
  const bool masked = options.metering == Metering::kMask;
  auto image = create_source(impl, source);
  if (!image) return image.error();
  DeviceImage mask_image;
  if (masked) {
    auto created = create_source(impl, mask);
    if (!created) return created.error();
    mask_image = std::move(*created);
  }
  const uint64_t source_bytes = packed_bytes(*image, 0, 1);
  auto staging = Buffer::create(impl, source_bytes + (masked ? packed_bytes(mask_image, 0, 1) : 0),
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
  if (!staging) return staging.error();
  auto* bytes = static_cast<std::byte*>(staging->mapped);
  pack_view(source, bytes);
  if (masked) pack_view(mask, bytes + source_bytes);
  constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  auto fetched = Buffer::create(impl, meter->dispatch_plan().result_bytes, kUsage, true);
  if (!fetched) return fetched.error();
  std::memcpy(fetched->mapped, results.data(), results.size_bytes());
  auto scratch = Buffer::create(impl, meter->dispatch_plan().scratch_bytes, kUsage, false);
  if (!scratch) return scratch.error();
  auto binding = meter->bind({.source = image->image,
                              .mask = masked ? mask_image.image : VK_NULL_HANDLE,
                              .results = fetched->buffer,
                              .scratch = scratch->buffer});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  const Job job{*meter, *binding, *image, masked ? &mask_image : nullptr, *staging, *scratch, frame, timestamps};
  if (auto ran = device.run([&](VkCommandBuffer commands) { record_job(job, commands); }); !ran) return ran.error();
  std::memcpy(static_cast<void*>(results.data()), fetched->mapped, results.size_bytes());
  return HostMeterReport{.plan = meter->dispatch_plan(), .gpu_microseconds = timestamps.microseconds()};
}

}  // namespace onepass::vulkan
