// readback.cpp: see readback.hpp.
#include "readback.hpp"

#include <cstring>

namespace occlusion {
namespace {

// Copies one level of an image in GENERAL or TRANSFER_SRC_OPTIMAL.
onepass::Image read_level(Gpu& gpu, const Image& image, uint32_t level, VkImageLayout layout, onepass::Format format,
                          const std::function<void(VkCommandBuffer)>& before,
                          const std::function<void(VkCommandBuffer)>& after) {
  const onepass::Extent size = onepass::level_size(image.size, level);
  onepass::Image result = value_of(onepass::Image::create(format, size));
  const Buffer staging = gpu.buffer(result.size_in_bytes(), VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost);
  gpu.run([&](VkCommandBuffer commands) {
    if (before) before(commands);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {image.aspect, level, 0, 1};
    copy.imageExtent = {size.width, size.height, 1};
    gpu.vk.vkCmdCopyImageToBuffer(commands, image.handle, layout, staging.handle, 1, &copy);
    if (after) after(commands);
  });
  std::memcpy(result.data(), staging.mapped, result.size_in_bytes());
  return result;
}

}  // namespace

onepass::Image read_colour(Gpu& gpu, const Target& target) {
  constexpr VkImageLayout kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  constexpr VkImageLayout kCopied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  constexpr Gpu::Access kAll{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT};
  constexpr Gpu::Access kCopy{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT};
  return read_level(
      gpu, target.colour, 0, kCopied, onepass::Format::kRGBA8Srgb,
      [&](VkCommandBuffer commands) { gpu.transition(commands, target.colour, kRead, kAll, kCopied, kCopy); },
      [&](VkCommandBuffer commands) { gpu.transition(commands, target.colour, kCopied, kCopy, kRead, kAll); });
}

std::vector<onepass::Image> read_pyramid(Gpu& gpu, const Culling& culling) {
  const Image& hiz = culling.pyramid_image();
  std::vector<onepass::Image> levels;
  for (uint32_t level = 0; level < hiz.levels; ++level) {
    levels.push_back(read_level(gpu, hiz, level, VK_IMAGE_LAYOUT_GENERAL, onepass::Format::kR32Sfloat, {}, {}));
  }
  return levels;
}

std::vector<uint32_t> read_states(Gpu& gpu, const Culling& culling) {
  const Buffer& states = culling.states();
  const Buffer staging = gpu.buffer(states.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost);
  gpu.run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, states.size};
    gpu.vk.vkCmdCopyBuffer(commands, states.handle, staging.handle, 1, &copy);
  });
  std::vector<uint32_t> result(states.size / sizeof(uint32_t));
  std::memcpy(result.data(), staging.mapped, states.size);
  return result;
}

}  // namespace occlusion
