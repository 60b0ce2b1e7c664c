// readback.cpp: copies through a host-visible buffer, after which the image has its layout again. Depths of 24 bits
// become floats.
#include "readback.hpp"

#include <cstring>

namespace samples::frame {
namespace {

constexpr uint32_t kD24Mask = 0xFFFFFF;

onepass::Format host_format(VkFormat format) {
  return format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D24_UNORM_S8_UINT ? onepass::Format::kR32Sfloat
                                                                                 : static_cast<onepass::Format>(format);
}

// Copies of the depth of D24S8 have 24 bits in words of 32.
void decode_d24(onepass::Image& image) {
  for (size_t i = 0; i < image.size_in_bytes(); i += sizeof(uint32_t)) {
    uint32_t word = 0;
    std::memcpy(&word, image.data() + i, sizeof(word));
    const float depth = static_cast<float>(static_cast<double>(word & kD24Mask) / kD24Mask);
    std::memcpy(image.data() + i, &depth, sizeof(depth));
  }
}

}  // namespace

onepass::Image read_image(Gpu& gpu, const Image& image, VkImageLayout layout, uint32_t layer, uint32_t level) {
  constexpr VkImageLayout kCopied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  constexpr Gpu::Access kAll{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT};
  constexpr Gpu::Access kCopy{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT};
  onepass::Image result =
      value_of(onepass::Image::create(host_format(image.format), onepass::level_size(image.size, level)));
  const Buffer staging = gpu.buffer(result.size_in_bytes(), VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost);
  const VkImageAspectFlags depth = image.aspect & VK_IMAGE_ASPECT_DEPTH_BIT;
  gpu.run([&](VkCommandBuffer commands) {
    gpu.transition(commands, image, layout, kAll, kCopied, kCopy);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {depth != 0 ? depth : image.aspect, level, layer, 1};
    copy.imageExtent = {result.size().width, result.size().height, 1};
    gpu.vk.vkCmdCopyImageToBuffer(commands, image.handle, kCopied, staging.handle, 1, &copy);
    gpu.transition(commands, image, kCopied, kCopy, layout, kAll);
  });
  std::memcpy(result.data(), staging.mapped, result.size_in_bytes());
  if (image.format == VK_FORMAT_D24_UNORM_S8_UINT) decode_d24(result);
  return result;
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

}  // namespace samples::frame
