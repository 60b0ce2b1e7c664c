// vulkan_host.cpp: reduce_tiles: a tile reduction of an image in host memory on a device: upload, record, download.
#include "tile_reduction/vulkan_impl.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

struct Job {
  const TileReduction& tiles;
  const TileReductionBinding& binding;
  const DeviceImage& source;
  const DeviceImage& target;
  const Buffer& staging;  // source, then target
  const Timestamps& timestamps;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_UNDEFINED;
};

void record_job(const Job& job, VkCommandBuffer commands) {
  record_upload(job.source, job.staging, 0, commands, job.source_layout);
  job.target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, VK_IMAGE_LAYOUT_GENERAL, kShaderWrites);
  job.timestamps.around(commands, [&] { job.tiles.record(commands, job.binding); });
  record_download(job.target, job.staging, packed_bytes(job.source, 0, 1), commands);
}

}  // namespace

Result<HostTileReductionReport> reduce_tiles(const Device& device, const TileReductionOptions& options,
                                             const TileReductionTuning& tuning, const ImageView& source,
                                             const MutableImageView& target) {
  if (needs_decoding(device.impl(), options.source)) {
    return run_decoded(options, &TileReductionOptions::source, "source", source,
                       [&](const TileReductionOptions& o, const ImageView& view) {
                         return reduce_tiles(device, o, tuning, view, target);
                       });
  }
  if (auto checked = require_one_sample(options.samples); !checked) return checked.error();
  auto tiles = TileReduction::create(device, options, tuning);
  if (!tiles) return tiles.error();
  const Extent size = tiles->plan().size;
  auto checked = check_host_view(source, "source", options.source, options.size, options.slices);
  if (checked) checked = check_host_view(target, "target", options.target, size, options.slices);
  if (!checked) return checked.error();

  const Device::Impl& impl = device.impl();
  auto fine = DeviceImage::create(impl, {.format = options.source,
                                         .size = options.size,
                                         .levels = 1,
                                         .slices = options.slices,
                                         .usage = usage_bit(tuning.source_usage) | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  if (!fine) return fine.error();
  auto coarse = DeviceImage::create(impl, {.format = options.target,
                                           .size = size,
                                           .levels = 1,
                                           .slices = options.slices,
                                           .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
  if (!coarse) return coarse.error();
  const uint64_t source_bytes = packed_bytes(*fine, 0, 1);
  auto staging = Buffer::create(impl, source_bytes + packed_bytes(*coarse, 0, 1),
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto* bytes = static_cast<std::byte*>(staging->mapped);
  pack_view(source, bytes);
  const VkImageLayout layout = source_layout(tuning.source_usage);
  auto binding = tiles->bind({.source = fine->image, .source_layout = layout, .target = coarse->image});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  const Job job{*tiles, *binding, *fine, *coarse, *staging, timestamps, layout};
  if (auto ran = device.run([&](VkCommandBuffer commands) { record_job(job, commands); }); !ran) return ran.error();
  unpack_view(bytes + source_bytes, target);
  return HostTileReductionReport{.plan = tiles->dispatch_plan(), .gpu_microseconds = timestamps.microseconds()};
}

}  // namespace onepass::vulkan
