// mip_chain.cpp: a mip chain in your own command buffer, with every barrier it needs.
//
// To keep the sample short, the library opens the device. With a device of your own call Device::adopt() instead; all
// other steps are the same.
#include <cstdio>

#include "onepass/vulkan/pyramid.hpp"

#define VULKAN(name) reinterpret_cast<PFN_##name>(get(instance, #name))

int main() {
  using namespace onepass;
  auto device = vulkan::Device::open({.allow_software = true});
  if (!device) return std::fprintf(stderr, "%s\n", device.error().text().c_str()), 1;
  const VkInstance instance = device->handles().instance;
  const auto get = device->handles().get_instance_proc_addr;
  VkDevice gpu = device->handles().device;

  // An image with 11 levels; level 0 is the source, levels 1 to 10 are the target.
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R32_SFLOAT;
  info.extent = {1920, 1080, 1};
  info.mipLevels = 11;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  VkImage image = VK_NULL_HANDLE;
  VULKAN(vkCreateImage)(gpu, &info, nullptr, &image);
  VkMemoryRequirements needs{};
  VULKAN(vkGetImageMemoryRequirements)(gpu, image, &needs);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
  while ((needs.memoryTypeBits >> allocate.memoryTypeIndex & 1U) == 0) ++allocate.memoryTypeIndex;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VULKAN(vkAllocateMemory)(gpu, &allocate, nullptr, &memory);
  VULKAN(vkBindImageMemory)(gpu, image, memory, 0);

  // Once: create the pyramid and bind it to the image.
  auto pyramid = vulkan::Pyramid::create(
      *device,
      {.size = {1920, 1080}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .reduction = Reduction::kMax});
  if (!pyramid) return std::fprintf(stderr, "%s\n", pyramid.error().text().c_str()), 1;
  auto binding = pyramid->bind({.source = image, .source_layout = VK_IMAGE_LAYOUT_GENERAL, .target = image});
  if (!binding) return std::fprintf(stderr, "%s\n", binding.error().text().c_str()), 1;

  // Every frame: draw level 0, make it visible to compute shaders, record, make the levels visible to their readers.
  const auto ran = device->run([&](VkCommandBuffer commands) {
    const auto barrier = [&](VkPipelineStageFlags from, VkAccessFlags wrote, VkPipelineStageFlags to,
                             VkAccessFlags reads, VkImageLayout old_layout) {
      VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                             nullptr,
                             wrote,
                             reads,
                             old_layout,
                             VK_IMAGE_LAYOUT_GENERAL,
                             VK_QUEUE_FAMILY_IGNORED,
                             VK_QUEUE_FAMILY_IGNORED,
                             image,
                             {VK_IMAGE_ASPECT_COLOR_BIT, 0, 11, 0, 1}};
      const VkMemoryBarrier scratch{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, wrote, reads};
      VULKAN(vkCmdPipelineBarrier)
      (commands, from, to, 0, 1, &scratch, 0, nullptr, 1, &b);
    };
    barrier(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_IMAGE_LAYOUT_UNDEFINED);
    const VkClearColorValue depth{{0.5F, 0, 0, 0}};  // stands for your renderer
    const VkImageSubresourceRange base{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VULKAN(vkCmdClearColorImage)(commands, image, VK_IMAGE_LAYOUT_GENERAL, &depth, 1, &base);
    pyramid->record_reset(commands, *binding);  // before the first record() only
    barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL);
    pyramid->record(commands, *binding);
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT, VK_IMAGE_LAYOUT_GENERAL);
  });
  if (!ran) return std::fprintf(stderr, "%s\n", ran.error().text().c_str()), 1;
  std::printf("%s: 10 levels of 1920x1080 in %zu dispatches\n", device->info().name.c_str(),
              pyramid->dispatch_plan().dispatches.size());
  VULKAN(vkDestroyImage)(gpu, image, nullptr);
  VULKAN(vkFreeMemory)(gpu, memory, nullptr);
}
