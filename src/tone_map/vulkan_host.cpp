// vulkan_host.cpp: a tone map of an image in host memory, made on a device: upload, record, download.
#include "tone_map/vulkan_impl.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

constexpr VkPipelineStageFlagBits kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlagBits kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlagBits kTop = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;

struct Job {
  const ToneMap& map;
  const ToneMapBinding& binding;
  float exposure;
  const DeviceImage& source;
  const DeviceImage& target;
  const Buffer& staging;  // the source, then the target
  VkQueryPool timestamps = VK_NULL_HANDLE;
};

void record_job(const Job& job, VkCommandBuffer commands) {
  const DeviceFunctions& vk = job.source.device->functions;
  job.source.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kTop, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kTransfer,
                        VK_ACCESS_TRANSFER_WRITE_BIT);
  copy_levels(job.source, job.staging, 0, 0, 1, true, commands);
  job.source.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT,
                        VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, kCompute, VK_ACCESS_SHADER_READ_BIT);
  job.target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kTop, 0, VK_IMAGE_LAYOUT_GENERAL, kCompute,
                        VK_ACCESS_SHADER_WRITE_BIT);
  if (job.timestamps != VK_NULL_HANDLE) {
    vk.vkCmdResetQueryPool(commands, job.timestamps, 0, 2);
    vk.vkCmdWriteTimestamp(commands, kCompute, job.timestamps, 0);
  }
  job.map.record(commands, job.binding, job.exposure);
  if (job.timestamps != VK_NULL_HANDLE) vk.vkCmdWriteTimestamp(commands, kCompute, job.timestamps, 1);
  job.target.transition(commands, VK_IMAGE_LAYOUT_GENERAL, kCompute, VK_ACCESS_SHADER_WRITE_BIT,
                        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kTransfer, VK_ACCESS_TRANSFER_READ_BIT);
  copy_levels(job.target, job.staging, packed_bytes(job.source, 0, 1), 0, 1, false, commands);
  VkMemoryBarrier to_host{};
  to_host.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  to_host.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  to_host.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vk.vkCmdPipelineBarrier(commands, kTransfer, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, nullptr, 0, nullptr);
}

}  // namespace

Result<HostToneMapReport> map_tones(const Device& device, const ToneMapOptions& options, const ToneMapTuning& tuning,
                                    const ImageView& source, const MutableImageView& target, float exposure) {
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
  const Job job{*map, *binding, exposure, *scene, *picture, *staging, timestamps.pool()};
  if (auto ran = device.run([&](VkCommandBuffer commands) { record_job(job, commands); }); !ran) return ran.error();
  unpack_view(bytes + source_bytes, target);
  return HostToneMapReport{.plan = map->plan(), .gpu_microseconds = timestamps.microseconds()};
}

}  // namespace onepass::vulkan
