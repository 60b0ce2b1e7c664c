// renderer.cpp: one render pass at twice the picture's size, whose light the library halves by a mip chain of two
// levels and maps to sRGB.
#include "renderer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/water_frag.h"
#include "kernels/water_vert.h"

namespace samples::ocean {
namespace {

namespace ov = onepass::vulkan;

constexpr VkFormat kLight = VK_FORMAT_R16G16B16A16_SFLOAT;
constexpr VkFormat kDepth = VK_FORMAT_D32_SFLOAT;
constexpr VkDescriptorType kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr Gpu::Access kAll{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

onepass::Extent twice(onepass::Extent size) { return {2 * size.width, 2 * size.height}; }

DrawParams make_params(const Simulation& simulation, onepass::Extent size) {
  constexpr float kPitch = 0.125F;  // radians below the horizon
  constexpr float kTangent = 0.42F;
  constexpr float kSunHeight = 0.19F;  // radians above the horizon
  constexpr float kSunAside = 0.33F;
  const float tangent_x = kTangent * static_cast<float>(size.width) / static_cast<float>(size.height);
  const auto wave_height = static_cast<float>(simulation.significant_height());
  const float eye_height = std::max(2.25F * wave_height, 2.0F);  // metres; above the highest crests
  DrawParams params{};
  params.eye = {41, eye_height, 23, 0.5F};
  params.forward = {0, -std::sin(kPitch), -std::cos(kPitch), 0};
  params.right = {1, 0, 0, tangent_x};
  params.down = {0, -std::cos(kPitch), std::sin(kPitch), kTangent};
  // The grid covers the lower corners of the picture, and more, because waves move vertices sideways.
  params.forward[3] = std::atan(tangent_x / (std::cos(kPitch) - kTangent * std::sin(kPitch))) + 0.25F;
  params.lengths = simulation.params().lengths;
  params.sun = {std::cos(kSunHeight) * std::sin(kSunAside), std::sin(kSunHeight),
                -std::cos(kSunHeight) * std::cos(kSunAside), 0.25F * eye_height};
  params.columns = size.width / 2 + 1;
  params.rings = size.height + 1;
  params.texels = simulation.params().texels;
  params.wave_height = wave_height;
  return params;
}

ov::ToneMap make_map(const Gpu& gpu, onepass::Extent size) {
  return value_of(ov::ToneMap::create(gpu.device(), {.size = size,
                                                     .source = onepass::Format::kRGBA16Sfloat,
                                                     .target = onepass::Format::kRGBA8Unorm,
                                                     .tone_operator = onepass::ToneOperator::kAgxBlender,
                                                     .exposure = 0.115F,
                                                     .look = onepass::AgxLook::kPunchy,
                                                     .dither = onepass::Dither::kOn}));
}

}  // namespace

Renderer::Renderer(Gpu& gpu, const Simulation& simulation, onepass::Extent size)
    : gpu_(gpu),
      size_(size),
      params_(make_params(simulation, size)),
      light_(gpu.image(kLight, twice(size), 2,
                       VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT)),
      depth_(gpu.image(kDepth, twice(size), 1, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)),
      picture_(
          gpu.image(VK_FORMAT_R8G8B8A8_UNORM, size, 1, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT)),
      resolve_(value_of(ov::Pyramid::create(gpu.device(), {.size = twice(size),
                                                           .levels = 2,
                                                           .source = onepass::Format::kRGBA16Sfloat,
                                                           .target = onepass::Format::kRGBA16Sfloat}))),
      resolve_binding_(value_of(
          resolve_.bind({.source = light_.handle, .source_layout = VK_IMAGE_LAYOUT_GENERAL, .target = light_.handle}))),
      map_(make_map(gpu, size)),
      map_binding_(value_of(map_.bind({.source = light_.handle,
                                       .source_level = 1,
                                       .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                                       .target = picture_.handle}))),
      staging_(
          gpu.buffer(VkDeviceSize{4} * size.width * size.height, VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost)) {
  make_pass();
  make_framebuffer();
  make_pipeline();
  const VkSampler repeat = gpu.linear_sampler(VK_SAMPLER_ADDRESS_MODE_REPEAT);
  set_ = gpu.descriptors(pipeline_, {ImageResource{simulation.fields().view, VK_IMAGE_LAYOUT_GENERAL, repeat},
                                     ImageResource{simulation.surface().view, VK_IMAGE_LAYOUT_GENERAL, repeat}});
  gpu.run([&](VkCommandBuffer commands) {
    gpu.transition(commands, light_, VK_IMAGE_LAYOUT_UNDEFINED, kAll, VK_IMAGE_LAYOUT_GENERAL, kAll);
  });
}

void Renderer::make_pass() {
  VkAttachmentDescription attachments[2]{};
  attachments[0].format = kLight;
  attachments[0].loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;  // the sky covers all of it
  attachments[0].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachments[0].initialLayout = attachments[0].finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  attachments[1].format = kDepth;
  attachments[1].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachments[1].storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  attachments[1].finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
  for (VkAttachmentDescription& attachment : attachments) {
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  }
  const VkAttachmentReference light{0, VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference depth{1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &light;
  subpass.pDepthStencilAttachment = &depth;
  VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = 2;
  info.pAttachments = attachments;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  Gpu::require(gpu_.vk.vkCreateRenderPass(gpu_.handle(), &info, nullptr, &pass_), "vkCreateRenderPass");
  gpu_.at_end([&gpu = gpu_, made = pass_] { gpu.vk.vkDestroyRenderPass(gpu.handle(), made, nullptr); });
}

void Renderer::make_framebuffer() {
  const VkImageView views[] = {gpu_.layer_view(light_, 0), depth_.view};
  VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  info.renderPass = pass_;
  info.attachmentCount = 2;
  info.pAttachments = views;
  info.width = light_.size.width;
  info.height = light_.size.height;
  info.layers = 1;
  Gpu::require(gpu_.vk.vkCreateFramebuffer(gpu_.handle(), &info, nullptr, &framebuffer_), "vkCreateFramebuffer");
  gpu_.at_end([&gpu = gpu_, made = framebuffer_] { gpu.vk.vkDestroyFramebuffer(gpu.handle(), made, nullptr); });
}

void Renderer::make_pipeline() {
  pipeline_ =
      gpu_.layout({kSampled, kSampled}, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, sizeof(DrawParams));
  VkPipelineShaderStageCreateInfo stages[2]{};
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = gpu_.shader(kernel_water_vert);
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = gpu_.shader(kernel_water_frag);
  for (VkPipelineShaderStageCreateInfo& stage : stages) {
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.pName = "main";
  }
  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  const VkViewport area{0, 0, static_cast<float>(light_.size.width), static_cast<float>(light_.size.height), 0, 1};
  const VkRect2D scissor{{0, 0}, {light_.size.width, light_.size.height}};
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewport.viewportCount = 1;
  viewport.pViewports = &area;
  viewport.scissorCount = 1;
  viewport.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;  // reversed: 1 is near; the sky is at 0
  VkPipelineColorBlendAttachmentState no_blending{};
  no_blending.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &no_blending;
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
  info.layout = pipeline_.layout;
  info.renderPass = pass_;
  Gpu::require(gpu_.vk.vkCreateGraphicsPipelines(gpu_.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_.handle),
               "vkCreateGraphicsPipelines");
  gpu_.at_end([&gpu = gpu_, made = pipeline_.handle] { gpu.vk.vkDestroyPipeline(gpu.handle(), made, nullptr); });
}

void Renderer::record_draw(VkCommandBuffer commands) const {
  const auto& vk = gpu_.vk;
  VkClearValue clear[2]{};
  clear[1].depthStencil = {0, 0};  // infinitely far
  VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderPass = pass_;
  begin.framebuffer = framebuffer_;
  begin.renderArea = {{0, 0}, {light_.size.width, light_.size.height}};
  begin.clearValueCount = 2;
  begin.pClearValues = clear;
  vk.vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.handle);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.layout, 0, 1, &set_, 0, nullptr);
  vk.vkCmdPushConstants(commands, pipeline_.layout, pipeline_.stages, 0, sizeof(params_), &params_);
  vk.vkCmdDraw(commands, 2 * (params_.columns + 1), params_.rings + 1, 0, 0);
  vk.vkCmdEndRenderPass(commands);
}

onepass::Image Renderer::draw() {
  gpu_.run([&](VkCommandBuffer commands) {
    record_draw(commands);
    gpu_.full_barrier(commands);
    resolve_.record(commands, resolve_binding_);
    gpu_.transition(commands, picture_, VK_IMAGE_LAYOUT_UNDEFINED, kAll, VK_IMAGE_LAYOUT_GENERAL, kAll);
    gpu_.full_barrier(commands);
    map_.record(commands, map_binding_);
    gpu_.transition(commands, picture_, VK_IMAGE_LAYOUT_GENERAL, kAll, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kAll);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {picture_.aspect, 0, 0, 1};
    copy.imageExtent = {size_.width, size_.height, 1};
    gpu_.vk.vkCmdCopyImageToBuffer(commands, picture_.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging_.handle, 1,
                                   &copy);
  });
  auto picture = value_of(onepass::Image::create(onepass::Format::kRGBA8Srgb, size_));
  for (uint32_t y = 0; y < size_.height; ++y) {
    std::memcpy(picture.view().row(y), staging_.mapped + size_t{4} * size_.width * y, size_t{4} * size_.width);
  }
  return picture;
}

}  // namespace samples::ocean
