// geometry.cpp: uploads the scene once; each frame then draws indirectly from lists that compute shaders fill. The list
// of all objects is constant: boxes in its first part, clusters in its second, balls in its third.
#include "geometry.hpp"

#include <cstring>
#include <numeric>

#include "kernels/ball_frag.h"
#include "kernels/ball_vert.h"
#include "kernels/box_frag.h"
#include "kernels/box_vert.h"
#include "kernels/cluster_depth_frag.h"
#include "kernels/cluster_frag.h"
#include "kernels/cluster_vert.h"
#include "kernels/sky_frag.h"
#include "kernels/sky_vert.h"
#include "leaves.hpp"
#include "onepass/vulkan/pyramid.hpp"

namespace samples::frame {
namespace {

constexpr VkDeviceSize kDrawBytes = sizeof(VkDrawIndirectCommand);

Buffer upload(Gpu& gpu, const void* data, VkDeviceSize bytes, VkDeviceSize size, VkDeviceSize offset) {
  Buffer buffer =
      gpu.buffer(size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kDevice);
  const Buffer staging = gpu.buffer(bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Memory::kHost);
  std::memcpy(staging.mapped, data, bytes);
  gpu.run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, offset, bytes};
    gpu.vk.vkCmdCopyBuffer(commands, staging.handle, buffer.handle, 1, &copy);
  });
  return buffer;
}

}  // namespace

SceneBuffers::SceneBuffers(Gpu& gpu, const Scene& scene)
    : count(static_cast<uint32_t>(scene.objects.size())),
      box_count(scene.boxes),
      ball_count(static_cast<uint32_t>(scene.balls.size())) {
  constexpr VkBufferUsageFlags kWritten = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  params = gpu.buffer(sizeof(FrameParams), kWritten, Memory::kDevice);
  objects = upload(gpu, scene.objects.data(), count * sizeof(Object), count * sizeof(Object), 0);
  std::vector<uint32_t> all(size_t{KIND_COUNT} * count);
  std::iota(all.begin(), all.begin() + box_count, 0U);
  const uint32_t first_ball = count - ball_count;
  std::iota(all.begin() + count, all.begin() + count + (first_ball - box_count), box_count);
  std::iota(all.begin() + 2 * size_t{count}, all.begin() + 2 * size_t{count} + ball_count, first_ball);
  const VkDeviceSize list_bytes = VkDeviceSize{KIND_COUNT} * count * sizeof(uint32_t);
  entries = upload(gpu, all.data(), list_bytes, list_bytes * LIST_COUNT, list_bytes * LIST_ALL);
  draws =
      gpu.buffer(kDrawBytes * LIST_COUNT * KIND_COUNT,
                 kWritten | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Memory::kDevice);
}

void SceneBuffers::record_clear(const Gpu& gpu, VkCommandBuffer commands) const {
  VkDrawIndirectCommand all[LIST_COUNT * KIND_COUNT];
  constexpr uint32_t kVertices[KIND_COUNT] = {BOX_VERTICES, CLUSTER_VERTICES, BALL_VERTICES};
  for (uint32_t i = 0; i < LIST_COUNT * KIND_COUNT; ++i) all[i] = {kVertices[i % KIND_COUNT], 0, 0, 0};
  all[LIST_ALL * KIND_COUNT + KIND_BOX].instanceCount = box_count;
  all[LIST_ALL * KIND_COUNT + KIND_CLUSTER].instanceCount = count - box_count - ball_count;
  all[LIST_ALL * KIND_COUNT + KIND_BALL].instanceCount = ball_count;
  gpu.barrier(commands,
              {VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT},
              {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT});
  gpu.vk.vkCmdUpdateBuffer(commands, draws.handle, 0, sizeof(all), all);
  gpu.barrier(commands, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
              {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT});
}

void SceneBuffers::record_params(const Gpu& gpu, VkCommandBuffer commands, const FrameParams& frame) const {
  constexpr VkPipelineStageFlags kShaders = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |
                                            VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |
                                            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  gpu.barrier(commands, {kShaders, 0}, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT});
  gpu.vk.vkCmdUpdateBuffer(commands, params.handle, 0, sizeof(frame), &frame);
  gpu.barrier(commands, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
              {kShaders, VK_ACCESS_SHADER_READ_BIT});
}

Geometry::Geometry(Gpu& gpu, const SceneBuffers& buffers, const Targets& targets)
    : gpu_(gpu), buffers_(buffers), targets_(targets) {
  constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  constexpr VkDescriptorType kTexture = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  make_leaves(gpu);
  layout_ = gpu.layout({kBuffer, kTexture, kTexture, kBuffer, kBuffer},
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, sizeof(DrawParams));
  make_pipeline(gpu, kBoxDepth, Pass::kDepthClear, kernel_box_vert, {});
  make_pipeline(gpu, kClusterDepth, Pass::kDepthClear, kernel_cluster_vert, kernel_cluster_depth_frag);
  make_pipeline(gpu, kBallDepth, Pass::kDepthClear, kernel_ball_vert, {});
  make_pipeline(gpu, kBoxColour, Pass::kColour, kernel_box_vert, kernel_box_frag);
  make_pipeline(gpu, kClusterColour, Pass::kColour, kernel_cluster_vert, kernel_cluster_frag);
  make_pipeline(gpu, kBallColour, Pass::kColour, kernel_ball_vert, kernel_ball_frag);
  make_pipeline(gpu, kSky, Pass::kColour, kernel_sky_vert, kernel_sky_frag);
  make_pipeline(gpu, kBoxShadow, Pass::kShadow, kernel_box_vert, {});
  make_pipeline(gpu, kClusterShadow, Pass::kShadow, kernel_cluster_vert, kernel_cluster_depth_frag);
  const ImageResource leaves{leaves_.view, VK_IMAGE_LAYOUT_GENERAL,
                             gpu.linear_sampler(VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE)};
  const ImageResource shadow{targets.shadow.view, kDepthRead};
  set_ =
      gpu.descriptors(layout_, {buffers.params.handle, shadow, leaves, buffers.objects.handle, buffers.entries.handle});
}

// Levels by onepass: each keeps the share of texels whose alpha passes the test of cluster_depth.frag, so that trees do
// not get thinner with distance.
void Geometry::make_leaves(Gpu& gpu) {
  namespace ov = onepass::vulkan;
  const onepass::Image texels = samples::frame::make_leaves();
  const ov::Pyramid pyramid = value_of(ov::Pyramid::create(gpu.device(), {.size = texels.size(),
                                                                          .slices = texels.slices(),
                                                                          .source = texels.format(),
                                                                          .target = texels.format(),
                                                                          .alpha = onepass::Alpha::kCoverage}));
  leaves_ = gpu.image(VK_FORMAT_R8G8B8A8_UNORM, texels.size(), pyramid.plan().levels,
                      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                      texels.slices());
  const ov::PyramidBinding binding = value_of(pyramid.bind({.source = leaves_.handle,
                                                            .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                                                            .target = leaves_.handle,
                                                            .target_level = 1}));
  const Buffer staging = gpu.buffer(texels.size_in_bytes(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Memory::kHost);
  std::memcpy(staging.mapped, texels.data(), texels.size_in_bytes());
  gpu.run([&](VkCommandBuffer commands) {
    const Gpu::Access written{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
    gpu.transition(commands, leaves_, VK_IMAGE_LAYOUT_UNDEFINED, {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, written);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, texels.slices()};
    copy.imageExtent = {kLeavesSize, kLeavesSize, 1};
    gpu.vk.vkCmdCopyBufferToImage(commands, staging.handle, leaves_.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                  &copy);
    gpu.transition(commands, leaves_, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, written, VK_IMAGE_LAYOUT_GENERAL,
                   kComputeBoth);
    pyramid.record_reset(commands, binding);
    gpu.full_barrier(commands);
    pyramid.record(commands, binding);
  });
}

void Geometry::make_pipeline(Gpu& gpu, Drawn drawn, Pass pass, std::span<const uint32_t> vertex,
                             std::span<const uint32_t> fragment) {
  const bool colour = pass == Pass::kColour;
  VkPipelineShaderStageCreateInfo stages[2]{};
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = gpu.shader(vertex);
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  if (!fragment.empty()) stages[1].module = gpu.shader(fragment);
  for (VkPipelineShaderStageCreateInfo& stage : stages) {
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.pName = "main";
  }
  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  const bool cards = drawn == kClusterDepth || drawn == kClusterColour || drawn == kClusterShadow;
  raster.cullMode = cards || drawn == kSky ? VK_CULL_MODE_NONE : VK_CULL_MODE_BACK_BIT;
  raster.frontFace = VK_FRONT_FACE_CLOCKWISE;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = colour ? VK_FALSE : VK_TRUE;
  depth.depthCompareOp = colour                  ? VK_COMPARE_OP_EQUAL
                         : pass == Pass::kShadow ? VK_COMPARE_OP_LESS
                                                 : VK_COMPARE_OP_GREATER;  // reversed: 1 is near
  VkPipelineColorBlendAttachmentState no_blending[kDrawnImages]{};
  for (VkPipelineColorBlendAttachmentState& image : no_blending) image.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = colour ? kDrawnImages : 0;
  blend.pAttachments = no_blending;
  const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = 2;
  dynamic.pDynamicStates = dynamic_states;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  info.stageCount = fragment.empty() ? 1 : 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = layout_.layout;
  info.renderPass = targets_.pass(pass);
  VkPipeline made = VK_NULL_HANDLE;
  Gpu::require(gpu.vk.vkCreateGraphicsPipelines(gpu.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &made),
               "vkCreateGraphicsPipelines");
  gpu.at_end([&gpu, made] { gpu.vk.vkDestroyPipeline(gpu.handle(), made, nullptr); });
  pipelines_[drawn] = made;
}

void Geometry::bind(VkCommandBuffer commands, Drawn drawn, const DrawParams& params) const {
  const auto& vk = gpu_.vk;
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_[drawn]);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.layout, 0, 1, &set_, 0, nullptr);
  vk.vkCmdPushConstants(commands, layout_.layout, layout_.stages, 0, sizeof(params), &params);
}

void Geometry::draw_list(VkCommandBuffer commands, Drawn drawn, uint32_t eye, uint32_t list, uint32_t kind) const {
  bind(commands, drawn, {eye, buffers_.first(list, kind)});
  gpu_.vk.vkCmdDrawIndirect(commands, buffers_.draws.handle, (list * KIND_COUNT + kind) * kDrawBytes, 1, kDrawBytes);
}

void Geometry::record_shadow(VkCommandBuffer commands) const {
  targets_.begin(commands, Pass::kShadow, 0);
  draw_list(commands, kBoxShadow, EYE_SUN, LIST_ALL, KIND_BOX);
  draw_list(commands, kClusterShadow, EYE_SUN, LIST_ALL, KIND_CLUSTER);
  gpu_.vk.vkCmdEndRenderPass(commands);
}

void Geometry::record_depth(VkCommandBuffer commands, Pass pass, uint32_t list) const {
  for (uint32_t eye = 0; eye < targets_.eyes; ++eye) {
    targets_.begin(commands, pass, eye);
    draw_list(commands, kBoxDepth, eye, list, KIND_BOX);
    draw_list(commands, kClusterDepth, eye, list, KIND_CLUSTER);
    draw_list(commands, kBallDepth, eye, list, KIND_BALL);
    gpu_.vk.vkCmdEndRenderPass(commands);
  }
}

void Geometry::record_colour(VkCommandBuffer commands, std::initializer_list<uint32_t> lists) const {
  for (uint32_t eye = 0; eye < targets_.eyes; ++eye) {
    targets_.begin(commands, Pass::kColour, eye);
    for (const uint32_t list : lists) {
      draw_list(commands, kBoxColour, eye, list, KIND_BOX);
      draw_list(commands, kClusterColour, eye, list, KIND_CLUSTER);
      draw_list(commands, kBallColour, eye, list, KIND_BALL);
    }
    bind(commands, kSky, {eye, 0});
    gpu_.vk.vkCmdDraw(commands, 3, 1, 0, 0);
    gpu_.vk.vkCmdEndRenderPass(commands);
  }
}

}  // namespace samples::frame
