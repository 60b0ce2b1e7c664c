// vulkan_host.cpp: compress_levels: levels in host memory to blocks in host memory: upload, record, download.
#include <cstring>
#include <string>
#include <vector>

#include "blocks/views.hpp"
#include "blocks/vulkan_impl.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

/// Checks views against the plan. `texels`: the format of the levels.
Result<void> check_views(const BlockCompressorOptions& options, const BlockCompressorPlan& plan,
                         std::span<const ImageView> levels, std::span<const MutableBlockView> blocks) {
  const size_t count = plan.levels.size();
  if (levels.size() != count) {
    return invalid("levels: " + std::to_string(levels.size()) + " views, not " + std::to_string(count));
  }
  if (blocks.size() != count) {
    return invalid("blocks: " + std::to_string(blocks.size()) + " views, not " + std::to_string(count));
  }
  for (size_t n = 0; n < count; ++n) {
    const std::string level = "levels[" + std::to_string(n) + "]";
    auto checked = check_host_view(levels[n], level, options.source, plan.levels[n].size, options.slices);
    if (!checked) return checked;
    const std::string name = "blocks[" + std::to_string(n) + "]";
    const MutableBlockView& view = blocks[n];
    if (checked = blocks::check_blocks(name, view); !checked) return checked;
    if (view.format != options.blocks || view.size != plan.levels[n].size || view.slices != options.slices) {
      return invalid(name + ": " + std::string(block_format_info(view.format).name) + " of " + size_text(view.size) +
                     ", " + std::to_string(view.slices) + " slices, not " +
                     std::string(block_format_info(options.blocks).name) + " of " + size_text(plan.levels[n].size) +
                     ", " + std::to_string(options.slices));
    }
  }
  return {};
}

/// Stored values of sRGB to sRGB blocks: the same as UNORM to UNORM, and needs no mutable image.
BlockCompressorOptions as_stored(BlockCompressorOptions options) {
  const bool both = format_info(options.source).type == ChannelType::kSrgb &&
                    block_format_info(options.blocks).type == ChannelType::kSrgb;
  if (!both) return options;
  options.source = static_cast<Format>(storage_format(options.source));
  options.blocks = static_cast<BlockFormat>(static_cast<uint32_t>(options.blocks) - 1);  // the UNORM one before it
  return options;
}

void unpack_blocks(const std::byte* packed, const BlockLevel& level, const MutableBlockView& view) {
  const size_t row = level.slice_bytes / level.blocks.height;
  for (uint32_t s = 0; s < view.slices; ++s) {
    for (uint32_t y = 0; y < level.blocks.height; ++y, packed += row) std::memcpy(view.row(y, s), packed, row);
  }
}

/// A level as the device reads it.
ImageView with_format(ImageView view, Format format) {
  view.format = format;
  return view;
}

}  // namespace

Result<HostBlockReport> compress_levels(const Device& device, const BlockCompressorOptions& options,
                                        std::span<const ImageView> levels, std::span<const MutableBlockView> blocks) {
  auto plan = plan_block_compressor(options);
  if (!plan) return plan.error();
  if (auto checked = check_views(options, *plan, levels, blocks); !checked) return checked.error();
  BlockCompressorOptions stored = as_stored(options);
  std::vector<ImageView> views;
  std::vector<Image> decoded;
  for (const ImageView& view : levels) views.push_back(with_format(view, stored.source));
  if (needs_decoding(device.impl(), stored.source)) {
    for (size_t n = 0; n < views.size(); ++n) {
      auto image = decode_source(views[n], "levels[" + std::to_string(n) + "]", stored.source);
      if (!image) return image.error();
      decoded.push_back(std::move(*image));
      views[n] = decoded.back().view();
    }
    stored.source = views[0].format;
  }
  auto compressor = BlockCompressor::create(device, stored);
  if (!compressor) return compressor.error();
  const Device::Impl& impl = device.impl();
  const auto count = static_cast<uint32_t>(views.size());
  auto source = DeviceImage::create(impl, {.format = stored.source,
                                           .size = options.size,
                                           .levels = count,
                                           .slices = options.slices,
                                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  if (!source) return source.error();
  auto texels = Buffer::create(impl, packed_bytes(*source, 0, count), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
  if (!texels) return texels.error();
  auto* at = static_cast<std::byte*>(texels->mapped);
  for (uint32_t n = 0; n < count; ++n) {
    pack_view(views[n], at);
    at += packed_bytes(*source, n, 1);
  }
  auto packed = Buffer::create(impl, plan->bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);
  if (!packed) return packed.error();
  auto binding = compressor->bind({.source = source->image, .blocks = packed->buffer});
  if (!binding) return binding.error();
  const Timestamps timestamps(impl);
  const auto ran = device.run([&](VkCommandBuffer commands) {
    constexpr VkImageLayout kUpload = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    source->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, kUpload, kTransferWrites);
    copy_levels(*source, *texels, 0, 0, count, true, commands);
    source->transition(commands, kUpload, kTransferWrites, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, kShaderReads);
    timestamps.around(commands, [&] { compressor->record(commands, *binding); });
    record_barrier(impl, commands, {.before = kShaderWrites, .after = kHostReads});
  });
  if (!ran) return ran.error();
  for (uint32_t n = 0; n < count; ++n) {
    unpack_blocks(static_cast<const std::byte*>(packed->mapped) + plan->levels[n].offset, plan->levels[n], blocks[n]);
  }
  return HostBlockReport{.plan = std::move(*plan), .gpu_microseconds = timestamps.microseconds()};
}

}  // namespace onepass::vulkan
