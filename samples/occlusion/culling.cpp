// culling.cpp: the pyramid takes the minimum, which is the farthest value of reversed depth; cull.comp makes one list
// per dispatch and keeps each box's state for the next frame.
#include "culling.hpp"

#include "kernels/cull_comp.h"

namespace samples::occlusion {
namespace {

namespace ov = onepass::vulkan;

constexpr Gpu::Access kComputeWrite{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT};
constexpr Gpu::Access kComputeBoth{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                   VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};

// With reversed depth the farthest depth is the smallest.
ov::Pyramid make_pyramid(const Gpu& gpu, onepass::Extent size, onepass::Footprint footprint) {
  return value_of(ov::Pyramid::create(gpu.device(), {.size = size,
                                                     .source = onepass::Format::kD32Sfloat,
                                                     .target = onepass::Format::kR32Sfloat,
                                                     .reduction = onepass::Reduction::kMin,
                                                     .footprint = footprint}));
}

Image make_hiz(Gpu& gpu, const ov::Pyramid& pyramid) {
  return gpu.image(VK_FORMAT_R32_SFLOAT, onepass::level_size(pyramid.options().size, 1), pyramid.plan().levels - 1,
                   VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
}

}  // namespace

Culling::Culling(Gpu& gpu, const BoxLists& lists, const Target& target, onepass::Footprint footprint)
    : gpu_(gpu),
      lists_(lists),
      size_(target.depth.size),
      footprint_(footprint),
      pyramid_(make_pyramid(gpu, size_, footprint)),
      hiz_(make_hiz(gpu, pyramid_)),
      binding_(value_of(pyramid_.bind(
          {.source = target.depth.handle, .source_layout = kDepthRead, .target = hiz_.handle, .target_level = 0}))) {
  constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  states_ = gpu.buffer(
      VkDeviceSize{lists.count} * sizeof(uint32_t),
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
      Memory::kDevice);
  pipeline_ =
      gpu.compute(kernel_cull_comp, {kBuffer, kBuffer, kBuffer, kBuffer, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                  sizeof(CullParams));
  set_ = gpu.descriptors(pipeline_, {lists.boxes.handle, states_.handle, lists.entries.handle, lists.commands.handle,
                                     ImageResource{hiz_.view, VK_IMAGE_LAYOUT_GENERAL}});
  gpu.run([&](VkCommandBuffer commands) {
    gpu.vk.vkCmdFillBuffer(commands, states_.handle, 0, VK_WHOLE_SIZE, STATE_OUTSIDE);
    gpu.transition(commands, hiz_, VK_IMAGE_LAYOUT_UNDEFINED, {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                   VK_IMAGE_LAYOUT_GENERAL, kComputeBoth);
    pyramid_.record_reset(commands, binding_);
  });
}

void Culling::record_list(VkCommandBuffer commands, const Camera& camera, uint32_t list) const {
  const CullParams params{.clip_of_world = camera.clip_of_world,
                          .width = size_.width,
                          .height = size_.height,
                          .count = lists_.count,
                          .list = list,
                          .footprint = static_cast<uint32_t>(footprint_)};
  // Waits for the dispatch of the list before, which uses the same buffers.
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  gpu_.dispatch(commands, pipeline_, set_, std::as_bytes(std::span(&params, 1)),
                (lists_.count + CULL_GROUP_SIZE - 1) / CULL_GROUP_SIZE);
}

void Culling::record_pyramid(VkCommandBuffer commands) const {
  // The render pass makes the depth visible. This barrier waits for the last pyramid and its readers.
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  pyramid_.record(commands, binding_);
  gpu_.barrier(commands, kComputeWrite, {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT});
}

}  // namespace samples::occlusion
