// readback.cpp: one staging buffer, large enough for the frame and for the states, serves all copies, because all of
// them have four bytes per element.
#include "readback.hpp"

#include <algorithm>
#include <cstring>

namespace samples::occlusion {

// Colours, depths and states all have four bytes.
Readback::Readback(Gpu& gpu, onepass::Extent size, uint32_t boxes)
    : gpu_(gpu),
      staging_(gpu.buffer(std::max(VkDeviceSize{size.width} * size.height, VkDeviceSize{boxes}) * 4,
                          VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost)) {}

// `layout` is the layout of the image before and after.
onepass::Image Readback::level(const Image& image, uint32_t level, VkImageLayout layout, onepass::Format format) const {
  constexpr VkImageLayout kCopied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  constexpr Gpu::Access kAll{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT};
  constexpr Gpu::Access kCopy{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT};
  onepass::Image result = value_of(onepass::Image::create(format, onepass::level_size(image.size, level)));
  gpu_.run([&](VkCommandBuffer commands) {
    gpu_.transition(commands, image, layout, kAll, kCopied, kCopy);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {image.aspect, level, 0, 1};
    copy.imageExtent = {result.size().width, result.size().height, 1};
    gpu_.vk.vkCmdCopyImageToBuffer(commands, image.handle, kCopied, staging_.handle, 1, &copy);
    gpu_.transition(commands, image, kCopied, kCopy, layout, kAll);
  });
  std::memcpy(result.data(), staging_.mapped, result.size_in_bytes());
  return result;
}

onepass::Image Readback::colour(const Target& target) const {
  return level(target.colour, 0, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, onepass::Format::kRGBA8Srgb);
}

std::vector<onepass::Image> Readback::pyramid(const Culling& culling) const {
  const Image& hiz = culling.pyramid_image();
  std::vector<onepass::Image> levels;
  for (uint32_t n = 0; n < hiz.levels; ++n) {
    levels.push_back(level(hiz, n, VK_IMAGE_LAYOUT_GENERAL, onepass::Format::kR32Sfloat));
  }
  return levels;
}

std::vector<uint32_t> Readback::states(const Culling& culling) const {
  const Buffer& states = culling.states();
  gpu_.run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, states.size};
    gpu_.vk.vkCmdCopyBuffer(commands, states.handle, staging_.handle, 1, &copy);
  });
  std::vector<uint32_t> result(states.size / sizeof(uint32_t));
  std::memcpy(result.data(), staging_.mapped, states.size);
  return result;
}

}  // namespace samples::occlusion
