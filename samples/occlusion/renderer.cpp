// renderer.cpp: one indirect draw per list, whose entries the vertex shader looks up. Two render passes differ in the
// first operation only: the second one continues on the images of the first.
#include "renderer.hpp"

#include <cstring>
#include <numeric>

#include "kernels/box_frag.h"
#include "kernels/box_vert.h"

namespace samples::occlusion {
namespace {

constexpr VkFormat kColourFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
constexpr uint32_t kBoxVertices = 36;
constexpr VkImageLayout kColourRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;

constexpr VkPipelineStageFlags kReaders = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags kAttachments = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                              VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                              VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
constexpr VkAccessFlags kAttachmentWrites =
    VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
constexpr VkAccessFlags kAttachmentReads =
    VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;

Buffer upload(Gpu& gpu, const void* data, VkDeviceSize bytes, VkDeviceSize size, VkDeviceSize offset,
              VkBufferUsageFlags usage) {
  Buffer buffer = gpu.buffer(size, usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kDevice);
  const Buffer staging = gpu.buffer(bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Memory::kHost);
  std::memcpy(staging.mapped, data, bytes);
  gpu.run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, offset, bytes};
    gpu.vk.vkCmdCopyBuffer(commands, staging.handle, buffer.handle, 1, &copy);
  });
  return buffer;
}

}  // namespace

BoxLists::BoxLists(Gpu& gpu, const Scene& scene) : count(static_cast<uint32_t>(scene.boxes.size())) {
  boxes =
      upload(gpu, scene.boxes.data(), count * sizeof(Box), count * sizeof(Box), 0, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::vector<uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  const VkDeviceSize list_bytes = VkDeviceSize{count} * sizeof(uint32_t);
  entries = upload(gpu, all.data(), list_bytes, list_bytes * LIST_COUNT, list_bytes * LIST_ALL,
                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  commands = gpu.buffer(LIST_COUNT * sizeof(VkDrawIndirectCommand),
                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                            VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                        Memory::kDevice);
}

void BoxLists::record_clear(const Gpu& gpu, VkCommandBuffer command_buffer) const {
  VkDrawIndirectCommand draws[LIST_COUNT];
  for (VkDrawIndirectCommand& draw : draws) draw = {kBoxVertices, 0, 0, 0};
  draws[LIST_ALL].instanceCount = count;
  gpu.vk.vkCmdUpdateBuffer(command_buffer, commands.handle, 0, sizeof(draws), draws);
  gpu.barrier(command_buffer, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
              {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT});
}

Renderer::Renderer(Gpu& gpu, const BoxLists& lists) : gpu_(gpu), lists_(lists) {
  clear_pass_ = make_pass(Pass::kClear);
  continue_pass_ = make_pass(Pass::kContinue);
  make_pipeline();
  set_ = gpu_.descriptors(pipeline_, {lists.boxes.handle, lists.entries.handle});
}

VkRenderPass Renderer::make_pass(Pass pass) {
  const bool clear = pass == Pass::kClear;
  VkAttachmentDescription attachments[2]{};
  for (VkAttachmentDescription& attachment : attachments) {
    const bool depth = &attachment == &attachments[1];
    attachment.format = depth ? kDepthFormat : kColourFormat;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    attachment.finalLayout = depth ? kDepthRead : kColourRead;
    attachment.initialLayout = clear ? VK_IMAGE_LAYOUT_UNDEFINED : attachment.finalLayout;
  }
  const VkAttachmentReference colour{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference depth{1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &colour;
  subpass.pDepthStencilAttachment = &depth;
  // Before the pass: waits for writes of the last pass, and for reads of compute shaders and copies. After it: makes
  // its writes visible to them.
  const VkSubpassDependency dependencies[2] = {{VK_SUBPASS_EXTERNAL, 0, kReaders | kAttachments, kAttachments,
                                                kAttachmentWrites, kAttachmentWrites | kAttachmentReads, 0},
                                               {0, VK_SUBPASS_EXTERNAL, kAttachments, kReaders, kAttachmentWrites,
                                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT, 0}};
  VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = 2;
  info.pAttachments = attachments;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = 2;
  info.pDependencies = dependencies;
  VkRenderPass made = VK_NULL_HANDLE;
  Gpu::require(gpu_.vk.vkCreateRenderPass(gpu_.handle(), &info, nullptr, &made), "vkCreateRenderPass");
  gpu_.at_end([&gpu = gpu_, made] { gpu.vk.vkDestroyRenderPass(gpu.handle(), made, nullptr); });
  return made;
}

void Renderer::make_pipeline() {
  pipeline_ = gpu_.layout({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                          VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, sizeof(DrawParams));
  VkPipelineShaderStageCreateInfo stages[2]{};
  for (VkPipelineShaderStageCreateInfo& stage : stages) {
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.pName = "main";
  }
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = gpu_.shader(kernel_box_vert);
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = gpu_.shader(kernel_box_frag);
  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.cullMode = VK_CULL_MODE_BACK_BIT;
  raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_GREATER;  // reversed: 1 is near
  VkPipelineColorBlendAttachmentState no_blending{};
  no_blending.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &no_blending;
  const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = 2;
  dynamic.pDynamicStates = dynamic_states;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = pipeline_.layout;
  info.renderPass = clear_pass_;  // compatible with continue_pass_
  Gpu::require(gpu_.vk.vkCreateGraphicsPipelines(gpu_.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_.handle),
               "vkCreateGraphicsPipelines");
  gpu_.at_end([&gpu = gpu_, made = pipeline_.handle] { gpu.vk.vkDestroyPipeline(gpu.handle(), made, nullptr); });
}

Target Renderer::target(onepass::Extent size) {
  Target target;
  target.colour =
      gpu_.image(kColourFormat, size, 1,
                 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  target.depth =
      gpu_.image(kDepthFormat, size, 1, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  const VkImageView views[] = {target.colour.view, target.depth.view};
  VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  info.renderPass = clear_pass_;
  info.attachmentCount = 2;
  info.pAttachments = views;
  info.width = size.width;
  info.height = size.height;
  info.layers = 1;
  Gpu::require(gpu_.vk.vkCreateFramebuffer(gpu_.handle(), &info, nullptr, &target.framebuffer), "vkCreateFramebuffer");
  gpu_.at_end([&gpu = gpu_, made = target.framebuffer] { gpu.vk.vkDestroyFramebuffer(gpu.handle(), made, nullptr); });
  return target;
}

void Renderer::record(VkCommandBuffer commands, const Target& target, Pass pass, const Camera& camera,
                      uint32_t list) const {
  const onepass::Extent size = target.colour.size;
  VkClearValue clear[2]{};
  clear[0].color = {{0.74F, 0.82F, 0.90F, 1}};
  clear[1].depthStencil = {0, 0};  // infinitely far
  VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderPass = pass == Pass::kClear ? clear_pass_ : continue_pass_;
  begin.framebuffer = target.framebuffer;
  begin.renderArea = {{0, 0}, {size.width, size.height}};
  begin.clearValueCount = 2;
  begin.pClearValues = clear;
  const auto& vk = gpu_.vk;
  gpu_.barrier(commands, {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT},
               {VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT,
                VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT});
  vk.vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  const VkViewport viewport{0, 0, static_cast<float>(size.width), static_cast<float>(size.height), 0, 1};
  vk.vkCmdSetViewport(commands, 0, 1, &viewport);
  vk.vkCmdSetScissor(commands, 0, 1, &begin.renderArea);
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.handle);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.layout, 0, 1, &set_, 0, nullptr);
  const DrawParams params{camera.clip_of_world, list * lists_.count, camera.eye.x, camera.eye.y, camera.eye.z};
  vk.vkCmdPushConstants(commands, pipeline_.layout, pipeline_.stages, 0, sizeof(params), &params);
  vk.vkCmdDrawIndirect(commands, lists_.commands.handle, list * sizeof(VkDrawIndirectCommand), 1, 0);
  vk.vkCmdEndRenderPass(commands);
}

}  // namespace samples::occlusion
