// culling.cpp: one dispatch of cull.comp per list. The states that it writes tell the next frame which objects were
// visible.
#include "culling.hpp"

#include "kernels/cull_comp.h"

namespace samples::frame {

Culling::Culling(Gpu& gpu, const SceneBuffers& buffers, const FramePyramid& farthest) : gpu_(gpu), buffers_(buffers) {
  constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  states_ = gpu.buffer(
      VkDeviceSize{buffers.count} * sizeof(uint32_t),
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
      Memory::kDevice);
  pipeline_ = gpu.compute(kernel_cull_comp,
                          {kBuffer, kBuffer, kBuffer, kBuffer, kBuffer, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                          sizeof(CullParams));
  set_ =
      gpu.descriptors(pipeline_, {buffers.params.handle, buffers.objects.handle, states_.handle, buffers.entries.handle,
                                  buffers.draws.handle, ImageResource{farthest.image().view, VK_IMAGE_LAYOUT_GENERAL}});
  gpu.run([&](VkCommandBuffer commands) {
    gpu.vk.vkCmdFillBuffer(commands, states_.handle, 0, VK_WHOLE_SIZE, STATE_OUTSIDE);
  });
}

void Culling::record_list(VkCommandBuffer commands, uint32_t list) const {
  const CullParams params{list};
  // Waits for the list before, which uses the same buffers.
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  gpu_.dispatch(commands, pipeline_, set_, std::as_bytes(std::span(&params, 1)),
                (buffers_.count + LIST_GROUP_SIZE - 1) / LIST_GROUP_SIZE);
  gpu_.barrier(commands, kComputeWrite,
               {VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT,
                VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT});
}

}  // namespace samples::frame
