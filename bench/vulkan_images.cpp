// vulkan_images.cpp: creates as many sets of source and levels as exceed the caches, at least two, uploads one random
// image to all of them, and reads the levels of set 0 back.
#include "vulkan_images.hpp"

#include <algorithm>

#include "image/div_up.hpp"

namespace onepass::bench {
namespace {

// These layout transitions are never timed, so that the widest dependency is good enough.
void change_layout(const vulkan::DeviceImage& image, VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) {
  image.transition(commands, from, vulkan::kAllAccesses, to, vulkan::kAllAccesses);
}

}  // namespace

Result<std::unique_ptr<ImageSets>> ImageSets::create(const Gpu& gpu, const PyramidCase& pyramid, uint32_t most,
                                                     bool whole_tiles) {
  auto plan = plan_pyramid(pyramid.options());
  if (!plan) return plan.error();
  const Extent tiles = {round_up(pyramid.size.width, kTileFactor), round_up(pyramid.size.height, kTileFactor)};
  std::unique_ptr<ImageSets> out(new ImageSets(gpu, pyramid, whole_tiles ? tiles : pyramid.size));
  out->set_bytes_ = plan->bytes_read + plan->bytes_written;
  const uint64_t enough = kColdBytes / out->set_bytes_ + 1;
  const uint64_t count = std::clamp<uint64_t>(enough, 2, most);
  for (uint64_t i = 0; i < count; ++i) {
    if (auto created = out->create_set(); !created) return created.error();
  }
  auto source = random_image(pyramid.source, pyramid.size, pyramid.slices);
  if (!source) return source.error();
  out->host_source_ = std::move(*source);
  if (auto uploaded = out->upload(); !uploaded) return uploaded.error();
  return out;
}

Result<void> ImageSets::create_set() {
  constexpr VkImageUsageFlags kTransfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  // Drivers lay depth images that are rendered to out for their depth tests.
  VkImageUsageFlags rendered = 0;
  if (format_info(pyramid_.source).depth) rendered = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  auto source = vulkan::DeviceImage::create(gpu_.impl(), {.format = pyramid_.source,
                                                          .size = pyramid_.size,
                                                          .levels = 1,
                                                          .slices = pyramid_.slices,
                                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | kTransfers | rendered});
  if (!source) return source.error();
  auto target = vulkan::DeviceImage::create(gpu_.impl(), {.format = pyramid_.target,
                                                          .size = level_size(levels_of_, 1),
                                                          .levels = full_level_count(levels_of_) - 1,
                                                          .slices = pyramid_.slices,
                                                          .usage = VK_IMAGE_USAGE_STORAGE_BIT | kTransfers});
  if (!target) return target.error();
  sets_.push_back({std::move(*source), std::move(*target)});
  return {};
}

Result<void> ImageSets::upload() {
  const uint64_t bytes = vulkan::packed_bytes(sets_[0].source, 0, 1);
  auto staging = vulkan::Buffer::create(gpu_.impl(), bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
  if (!staging) return staging.error();
  vulkan::pack_view(host_source_.view(), static_cast<std::byte*>(staging->mapped));
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    for (const Set& set : sets_) {
      change_layout(set.target, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
      change_layout(set.source, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      copy_levels(set.source, *staging, 0, 0, 1, true, commands);
    }
    full_barrier(gpu_, commands);
  });
  source_layout_ = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  return ran;
}

Result<void> ImageSets::use_sources_as(VkImageLayout layout) {
  if (source_layout_ == layout) return {};
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    for (const Set& set : sets_) change_layout(set.source, commands, source_layout_, layout);
  });
  source_layout_ = layout;
  return ran;
}

Result<void> ImageSets::clear_target() const {
  const vulkan::DeviceImage& target = sets_[0].target;
  const VkClearColorValue value = {{0.75F, 0.75F, 0.75F, 0.75F}};
  const VkImageSubresourceRange range = {target.aspect(), 0, target.levels, 0, target.slices};
  return gpu_.device().run([&](VkCommandBuffer commands) {
    full_barrier(gpu_, commands);
    gpu_.vkCmdClearColorImage(commands, target.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &range);
    full_barrier(gpu_, commands);
  });
}

Result<Levels> ImageSets::download() const {
  const vulkan::DeviceImage& target = sets_[0].target;
  PyramidOptions options = pyramid_.options();
  options.size = levels_of_;
  auto levels = Levels::create(options);
  if (!levels) return levels.error();
  const uint64_t bytes = vulkan::packed_bytes(target, 0, target.levels);
  auto staging = vulkan::Buffer::create(gpu_.impl(), bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    change_layout(target, commands, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    copy_levels(target, *staging, 0, 0, target.levels, false, commands);
    change_layout(target, commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    full_barrier(gpu_, commands);
  });
  if (!ran) return ran.error();
  uint64_t offset = 0;
  for (uint32_t n = 0; n < target.levels; ++n) {
    vulkan::unpack_view(static_cast<const std::byte*>(staging->mapped) + offset, levels->images[n].view());
    offset += vulkan::packed_bytes(target, n, 1);
  }
  return levels;
}

}  // namespace onepass::bench
