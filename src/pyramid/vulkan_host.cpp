// vulkan_host.cpp: make_pyramid: a pyramid of images in host memory, made on a device: upload, record, download.
#include <string>

#include "image/error.hpp"
#include "pyramid/vulkan_impl.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

// The objects of one upload, dispatch and download.
struct Job {
  const Pyramid& pyramid;
  const PyramidBinding& binding;
  const DeviceImage& source;
  const DeviceImage& target;
  const Buffer& staging;
  uint64_t target_offset = 0;  // of the levels in the staging buffer
  std::optional<Rect> changed;
  const Timestamps& timestamps;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_UNDEFINED;
};

void record_job(const Job& job, VkCommandBuffer commands) {
  job.pyramid.record_reset(commands, job.binding);
  record_barrier(
      *job.source.device, commands,
      {.before = kTransferWrites, .after = kShaderReads | kShaderWrites | Accesses{VK_PIPELINE_STAGE_TRANSFER_BIT, 0}});
  record_upload(job.source, job.staging, 0, commands, job.source_layout);
  if (job.changed) {
    job.target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                          kTransferWrites);
    copy_levels(job.target, job.staging, job.target_offset, 0, job.target.levels, true, commands);
    job.target.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kTransferWrites, VK_IMAGE_LAYOUT_GENERAL,
                          kShaderWrites);
  } else {
    job.target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, VK_IMAGE_LAYOUT_GENERAL, kShaderWrites);
  }
  job.timestamps.around(commands, [&] {
    if (job.changed) {
      job.pyramid.record_update(commands, job.binding, *job.changed, Scratch::kUnknown);
    } else {
      job.pyramid.record(commands, job.binding);
    }
  });
  record_download(job.target, job.staging, job.target_offset, commands);
}

Result<void> check_views(const PyramidOptions& options, const PyramidPlan& plan, const ImageView& source,
                         std::span<const MutableImageView> levels) {
  if (auto checked = check_host_view(source, "source", options.source, options.size, options.slices); !checked)
    return checked;
  if (levels.size() != plan.levels - 1) {
    return invalid("levels: " + std::to_string(levels.size()) + " views, not " + std::to_string(plan.levels - 1));
  }
  for (uint32_t n = 1; n < plan.levels; ++n) {
    auto checked =
        check_host_view(levels[n - 1], "level " + std::to_string(n), options.target, plan.sizes[n], options.slices);
    if (!checked) return checked;
  }
  return {};
}

Result<void> check_rect(Extent size, Rect rect) {
  if (rect.width == 0 || rect.height == 0 || rect.x >= size.width || rect.y >= size.height ||
      rect.width > size.width - rect.x || rect.height > size.height - rect.y) {
    return invalid("changed: " + std::to_string(rect.x) + "," + std::to_string(rect.y) + "," +
                   std::to_string(rect.width) + "," + std::to_string(rect.height) + " is empty or leaves the base of " +
                   size_text(size));
  }
  return {};
}

}  // namespace

Result<HostPyramidReport> make_pyramid(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning,
                                       const ImageView& source, std::span<const MutableImageView> levels,
                                       std::optional<Rect> changed) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(options, &PyramidOptions::source, "source", source,
                       [&](const PyramidOptions& o, const ImageView& view) {
                         return make_pyramid(device, o, tuning, view, levels, changed);
                       });
  }
  if (auto checked = require_one_sample(options.samples); !checked) return checked.error();
  auto pyramid = Pyramid::create(device, options, tuning);
  if (!pyramid) return pyramid.error();
  const PyramidPlan& plan = pyramid->plan();
  if (auto checked = check_views(options, plan, source, levels); !checked) return checked.error();
  if (changed) {
    if (auto checked = check_rect(options.size, *changed); !checked) return checked.error();
  }
  HostPyramidReport report{.plan = pyramid->dispatch_plan(), .gpu_microseconds = 0};
  if (plan.levels == 1) return report;

  const Device::Impl& impl = device.impl();
  auto base = DeviceImage::create(impl, {.format = options.source,
                                         .size = options.size,
                                         .levels = 1,
                                         .slices = options.slices,
                                         .usage = usage_bit(tuning.source_usage) | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  if (!base) return base.error();
  auto target = DeviceImage::create(
      impl, {.format = options.target,
             .size = plan.sizes[1],
             .levels = plan.levels - 1,
             .slices = options.slices,
             .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  if (!target) return target.error();
  const uint64_t source_bytes = packed_bytes(*base, 0, 1);
  auto staging = Buffer::create(impl, source_bytes + packed_bytes(*target, 0, target->levels),
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto* bytes = static_cast<std::byte*>(staging->mapped);
  const auto level_offset = [&](uint32_t n) { return source_bytes + packed_bytes(*target, 0, n - 1); };
  pack_view(source, bytes);
  // An update reads levels outside of the changed part: they are uploaded, too.
  if (changed) {
    for (uint32_t n = 1; n < plan.levels; ++n) pack_view(levels[n - 1], bytes + level_offset(n));
  }
  const VkImageLayout layout = source_layout(tuning.source_usage);
  auto binding =
      pyramid->bind({.source = base->image, .source_layout = layout, .target = target->image, .target_level = 0});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  const Job job{*pyramid, *binding, *base, *target, *staging, source_bytes, changed, timestamps, layout};
  if (auto ran = device.run([&](VkCommandBuffer commands) { record_job(job, commands); }); !ran) return ran.error();
  for (uint32_t n = 1; n < plan.levels; ++n) unpack_view(bytes + level_offset(n), levels[n - 1]);
  report.gpu_microseconds = timestamps.microseconds();
  return report;
}

}  // namespace onepass::vulkan
