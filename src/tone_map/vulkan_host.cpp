// vulkan_host.cpp: map_tones(): uploads an image from host memory, maps it on a device, and downloads the result.
#include "tone_map/vulkan_impl.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

struct Job {
  const ToneMap& map;
  const ToneMapBinding& binding;
  float exposure;
  const DeviceImage& source;
  const DeviceImage& target;
  const Buffer& staging;  // the source, then the target
  const Timestamps& timestamps;
};

void record_job(const Job& job, VkCommandBuffer commands) {
  record_upload(job.source, job.staging, 0, commands);
  job.target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, VK_IMAGE_LAYOUT_GENERAL, kShaderWrites);
  job.timestamps.around(commands, [&] { job.map.record(commands, job.binding, job.exposure); });
  record_download(job.target, job.staging, packed_bytes(job.source, 0, 1), commands);
}

}  // namespace

Result<HostToneMapReport> map_tones(const Device& device, const ToneMapOptions& options, const ToneMapTuning& tuning,
                                    const ImageView& source, const MutableImageView& target, float exposure) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(options, &ToneMapOptions::source, "source", source,
                       [&](const ToneMapOptions& o, const ImageView& view) {
                         return map_tones(device, o, tuning, view, target, exposure);
                       });
  }
  auto map = ToneMap::create(device, options, tuning);
  if (!map) return map.error();
  auto checked = check_host_view(source, "source", options.source, options.size, options.slices);
  if (checked) checked = check_host_view(target, "target", options.target, options.size, options.slices);
  if (!checked) return checked.error();

  const Device::Impl& impl = device.impl();
  const auto create_image = [&](Format format, VkImageUsageFlags usage) {
    return DeviceImage::create(
        impl, {.format = format, .size = options.size, .levels = 1, .slices = options.slices, .usage = usage});
  };
  auto scene = create_image(options.source, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  if (!scene) return scene.error();
  auto picture = create_image(options.target, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  if (!picture) return picture.error();
  const uint64_t source_bytes = packed_bytes(*scene, 0, 1);
  auto staging = Buffer::create(impl, source_bytes + packed_bytes(*picture, 0, 1),
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto* bytes = static_cast<std::byte*>(staging->mapped);
  pack_view(source, bytes);
  auto binding = map->bind({.source = scene->image, .target = picture->image});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  const Job job{*map, *binding, exposure, *scene, *picture, *staging, timestamps};
  if (auto ran = device.run([&](VkCommandBuffer commands) { record_job(job, commands); }); !ran) return ran.error();
  unpack_view(bytes + source_bytes, target);
  return HostToneMapReport{.plan = map->dispatch_plan(), .gpu_microseconds = timestamps.microseconds()};
}

}  // namespace onepass::vulkan
