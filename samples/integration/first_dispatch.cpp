// first_dispatch.cpp: a minimal renderer that makes a hierarchical depth buffer of every frame in its own command
// buffers, with dynamic rendering, synchronization2, a timeline semaphore and two frames in flight.
// docs/integration.md explains its parts.
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "hiz.h"
#include "onepass/vulkan/pyramid.hpp"
#include "renderer.hpp"

namespace {

constexpr VkExtent2D kSize{1280, 720};
constexpr uint32_t kFrames = 4;

/// Stands for your renderer: depth 0.25, but `far_depth` in 3x3 texels at the upper left corner.
void draw(VkCommandBuffer commands, VkImageView depth, float far_depth) {
  VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  attachment.imageView = depth;
  attachment.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.clearValue.depthStencil = {0.25F, 0};
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.renderArea.extent = kSize;
  rendering.layerCount = 1;
  rendering.pDepthAttachment = &attachment;
  vkCmdBeginRendering(commands, &rendering);
  VkClearAttachment clear{VK_IMAGE_ASPECT_DEPTH_BIT, 0, {}};
  clear.clearValue.depthStencil = {far_depth, 0};
  const VkClearRect corner{{{0, 0}, {3, 3}}, 0, 1};
  vkCmdClearAttachments(commands, 1, &clear, 1, &corner);
  vkCmdEndRendering(commands);
}

/// Copies the coarsest level, one texel, to `offset` in a buffer that the host reads.
void read_back(VkCommandBuffer commands, VkImage hiz, uint32_t levels, VkBuffer to, VkDeviceSize offset) {
  VkBufferImageCopy region{};
  region.bufferOffset = offset;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, levels - 1, 0, 1};
  region.imageExtent = {1, 1, 1};
  vkCmdCopyImageToBuffer(commands, hiz, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, 1, &region);
  memory_barrier(commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_HOST_BIT,
                 VK_ACCESS_2_HOST_READ_BIT);
}

/// Makes the pyramid of the last frame again, through the C API: hiz.c.
int run_c(VkCommandBuffer commands, VkImage depth, VkImage target) {
  onepass_vulkan_device_handles handles;
  onepass_vulkan_device_handles_init(&handles, sizeof handles);
  handles.instance = instance;
  handles.physical_device = physical;
  handles.device = device;
  handles.queue_family = family;
  handles.shader_storage_image_write_without_format = VK_TRUE;
  handles.api_version = VK_API_VERSION_1_3;
  onepass_error error;
  hiz h{};
  if (create_hiz(&h, &handles, depth, target, {kSize.width, kSize.height}, &error) != ONEPASS_OK)
    return fail(error.message);
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  onepass_vulkan_pyramid_record_reset(h.pyramid, commands, h.binding);
  memory_barrier(commands, VK_PIPELINE_STAGE_2_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                 VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                 VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  barrier(commands, target, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_2_COPY_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED,
          VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL);
  onepass_vulkan_pyramid_record(h.pyramid, commands, h.binding);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
  destroy_hiz(&h);
  return 0;
}

int run() {
  using namespace onepass;
  // [adopt]
  auto gpu = vulkan::Device::adopt({.instance = instance,
                                    .physical_device = physical,
                                    .device = device,
                                    .queue_family = family,
                                    .features = {.storage_image_write_without_format = true},
                                    .api_version = VK_API_VERSION_1_3});  // of the instance
  if (!gpu) return fail(gpu.error().text().c_str());
  // [/adopt]

  // [create]
  auto pyramid = vulkan::Pyramid::create(*gpu, {.size = {kSize.width, kSize.height},
                                                .source = Format::kD32Sfloat,
                                                .target = Format::kR32Sfloat,
                                                .reduction = Reduction::kMax});
  if (!pyramid) return fail(pyramid.error().text().c_str());
  const uint32_t levels = pyramid->plan().levels - 1;  // level 0 is the depth buffer itself
  // [/create]

  // [images]
  const VkExtent2D half{kSize.width / 2, kSize.height / 2};
  const GpuImage depth(VK_FORMAT_D32_SFLOAT, kSize, 1,
                       VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  const GpuImage hiz_images[kFramesInFlight] = {
      {VK_FORMAT_R32_SFLOAT, half, levels, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
      {VK_FORMAT_R32_SFLOAT, half, levels, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT}};
  // [/images]
  // [scratch]
  const VkDeviceSize slot = (pyramid->dispatch_plan().scratch_bytes + 255) / 256 * 256;  // offsets are multiples of 256
  const Buffer scratch(slot * kFramesInFlight, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                       VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  std::vector<vulkan::PyramidBinding> bindings;  // one for each frame in flight
  for (uint32_t i = 0; i < kFramesInFlight; ++i) {
    auto binding = pyramid->bind({.source = depth.image,
                                  .target = hiz_images[i].image,
                                  .target_level = 0,  // this image begins with level 1 of the pyramid
                                  .scratch = scratch.buffer,
                                  .scratch_offset = i * slot});
    if (!binding) return fail(binding.error().text().c_str());
    bindings.push_back(std::move(*binding));
  }
  // [/scratch]

  VkImageViewCreateInfo view_info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view_info.image = depth.image;
  view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view_info.format = VK_FORMAT_D32_SFLOAT;
  view_info.subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
  VkImageView depth_view = VK_NULL_HANDLE;
  check(vkCreateImageView(device, &view_info, nullptr, &depth_view), "vkCreateImageView");
  const Buffer results(sizeof(float) * kFrames, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  const Frames frames;

  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    const uint32_t i = frame % kFramesInFlight;
    if (frame >= kFramesInFlight)
      frames.wait(frame - kFramesInFlight + 1);  // until the last use of this slot has finished
    VkCommandBuffer commands = frames.buffers[i];
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    barrier(commands, depth.image, VK_IMAGE_ASPECT_DEPTH_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, 0,
            VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
            VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
    draw(commands, depth_view, 0.5F + 0.125F * static_cast<float>(frame));

    // [record]
    if (frame < kFramesInFlight) {  // once per binding: scratch memory must start as zeros
      pyramid->record_reset(commands, bindings[i]);
      memory_barrier(commands, VK_PIPELINE_STAGE_2_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                     VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                     VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
    }
    // Before: make the depth buffer readable by compute shaders; wait for the target's readers and move it to GENERAL.
    barrier(commands, depth.image, VK_IMAGE_ASPECT_DEPTH_BIT, VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
            VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    barrier(commands, hiz_images[i].image, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_2_COPY_BIT, 0,
            VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
            VK_IMAGE_LAYOUT_GENERAL);
    pyramid->record(commands, bindings[i]);  // all levels: one or two dispatches
    // After: make the levels visible to their readers: here a copy, in your program a culling shader, in any layout.
    barrier(commands, hiz_images[i].image, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
            VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_2_COPY_BIT,
            VK_ACCESS_2_TRANSFER_READ_BIT, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    // [/record]

    read_back(commands, hiz_images[i].image, levels, results.buffer, frame * sizeof(float));
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");

    frames.submit(commands, frame);
  }
  frames.wait(kFrames);
  void* mapped = nullptr;
  check(vkMapMemory(device, results.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  float farthest[kFrames] = {};
  std::memcpy(farthest, mapped, sizeof farthest);
  const int failed = run_c(frames.buffers[0], depth.image, hiz_images[0].image);
  vkDestroyImageView(device, depth_view, nullptr);
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    if (farthest[frame] != 0.5F + 0.125F * static_cast<float>(frame)) return fail("the farthest depth is wrong");
  }
  std::printf("%s: farthest depth %g, %u levels, dispatches per frame: %zu\n", gpu->info().name.c_str(),
              static_cast<double>(farthest[kFrames - 1]), levels, pyramid->dispatch_plan().dispatches.size());
  return failed;
}

}  // namespace

int main() {
  create_instance();
  create_device();
  const int failed = run();
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return failed;
}
