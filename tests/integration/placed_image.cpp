// placed_image.cpp: creates an image with one further level and slice around the part, fills it with poison, and looks
// for changed bytes outside of the part.
#include "tests/integration/placed_image.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "onepass/pyramid.hpp"

namespace onepass::testing {
namespace {

uint64_t slice_bytes(const vulkan::DeviceImage& image, uint32_t level) {
  return image.level_bytes(level) / image.slices;
}
uint64_t aligned(uint64_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

Result<PlacedImage> PlacedImage::create(const vulkan::Device::Impl& device, const Request& part, Place at) {
  Request whole = part;
  whole.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (at.level != 0 || at.slice != 0) {
    whole.size = {part.size.width << at.level, part.size.height << at.level};
    whole.levels = std::min(at.level + part.levels + 1, full_level_count(whole.size));
    whole.slices = at.slice + part.slices + 1;
  }
  auto image = DeviceImage::create(device, whole);
  if (!image) return image.error();
  PlacedImage out;
  out.swap(*image);
  out.at = at;
  out.part_levels = part.levels;
  out.part_slices = part.slices;
  return out;
}

uint64_t PlacedImage::part_bytes(uint32_t first, uint32_t count) const {
  uint64_t bytes = 0;
  for (uint32_t n = first; n < first + count; ++n) bytes += aligned(slice_bytes(*this, at.level + n) * part_slices);
  return bytes;
}

void PlacedImage::record_part(const vulkan::Buffer& buffer, uint32_t first, uint32_t count, bool to_image,
                              VkCommandBuffer commands) const {
  std::vector<VkBufferImageCopy> regions(count);
  uint64_t offset = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t level = at.level + first + i;
    regions[i].bufferOffset = offset;
    regions[i].imageSubresource = {aspect(), level, at.slice, part_slices};
    regions[i].imageExtent = {std::max(1U, size.width >> level), std::max(1U, size.height >> level), 1};
    offset += aligned(slice_bytes(*this, level) * part_slices);
  }
  const vulkan::DeviceFunctions& vk = device->functions;
  if (to_image) {
    vk.vkCmdCopyBufferToImage(commands, buffer.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, count,
                              regions.data());
  } else {
    vk.vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.buffer, count,
                              regions.data());
  }
}

void PlacedImage::record_poison(const vulkan::Buffer& buffer, VkCommandBuffer commands) const {
  std::memset(buffer.mapped, static_cast<int>(kPoison), whole_bytes());
  vulkan::copy_levels(*this, buffer, 0, 0, levels, true, commands);
}

bool PlacedImage::outside_touched(const std::byte* whole) const {
  const auto is_part = [](uint32_t n, uint32_t first, uint32_t count) { return n >= first && n < first + count; };
  for (uint32_t level = 0; level < levels; ++level) {
    const uint64_t bytes = slice_bytes(*this, level);
    for (uint32_t s = 0; s < slices; ++s) {
      if (is_part(level, at.level, part_levels) && is_part(s, at.slice, part_slices)) continue;
      const std::byte* begin = whole + s * bytes;
      if (std::any_of(begin, begin + bytes, [](std::byte b) { return b != kPoison; })) return true;
    }
    whole += aligned(level_bytes(level));
  }
  return false;
}

}  // namespace onepass::testing
