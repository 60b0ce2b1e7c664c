// readback.cpp: see readback.hpp.
#include "readback.hpp"

#include <cstring>

namespace occlusion {
namespace {

// Copies levels of an image that rests in `layout`.
std::vector<onepass::Image> read_levels(Gpu& gpu, const Image& image, VkImageLayout layout, onepass::Format format) {
  constexpr VkImageLayout kCopied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  constexpr Gpu::Access kAll{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT};
  constexpr Gpu::Access kCopy{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT};
  std::vector<onepass::Image> levels;
  for (uint32_t level = 0; level < image.levels; ++level) {
    levels.push_back(value_of(onepass::Image::create(format, onepass::level_size(image.size, level))));
    const onepass::Image& result = levels.back();
    const Buffer staging = gpu.buffer(result.size_in_bytes(), VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost);
    gpu.run([&](VkCommandBuffer commands) {
      gpu.transition(commands, image, layout, kAll, kCopied, kCopy);
      VkBufferImageCopy copy{};
      copy.imageSubresource = {image.aspect, level, 0, 1};
      copy.imageExtent = {result.size().width, result.size().height, 1};
      gpu.vk.vkCmdCopyImageToBuffer(commands, image.handle, kCopied, staging.handle, 1, &copy);
      gpu.transition(commands, image, kCopied, kCopy, layout, kAll);
    });
    std::memcpy(levels.back().data(), staging.mapped, result.size_in_bytes());
  }
  return levels;
}

}  // namespace

onepass::Image read_colour(Gpu& gpu, const Target& target) {
  auto levels = read_levels(gpu, target.colour, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, onepass::Format::kRGBA8Srgb);
  return std::move(levels.front());
}

std::vector<onepass::Image> read_pyramid(Gpu& gpu, const Culling& culling) {
  return read_levels(gpu, culling.pyramid_image(), VK_IMAGE_LAYOUT_GENERAL, onepass::Format::kR32Sfloat);
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
