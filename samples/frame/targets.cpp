// targets.cpp: creates one layer per eye and a framebuffer for each. The render passes have dependencies on both sides,
// so that compute shaders before and after them need no further barriers.
#include "targets.hpp"

namespace samples::frame {
namespace {

constexpr VkPipelineStageFlags kReaders =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags kAttachments = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                              VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                              VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
constexpr VkAccessFlags kAttachmentWrites =
    VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
constexpr VkAccessFlags kAttachmentReads =
    VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;

VkAttachmentDescription attachment(VkFormat format, bool clear, VkImageLayout layout) {
  VkAttachmentDescription description{};
  description.format = format;
  description.samples = VK_SAMPLE_COUNT_1_BIT;
  description.loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
  description.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  description.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  description.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  description.initialLayout = clear ? VK_IMAGE_LAYOUT_UNDEFINED : layout;
  description.finalLayout = layout;
  return description;
}

}  // namespace

Targets::Targets(Gpu& gpu, const Options& options) : size(options.size), eyes(options.eyes()), gpu_(gpu) {
  constexpr VkImageUsageFlags kSampled = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  constexpr VkImageUsageFlags kDrawn = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | kSampled;
  constexpr VkImageUsageFlags kDepth = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | kSampled;
  const uint32_t shadow_size = gpu.device().info().software ? kShadowSize : kShadowSizeGpu;
  depth = gpu.image(static_cast<VkFormat>(options.depth), size, 1, kDepth, eyes);
  shadow = gpu.image(VK_FORMAT_D32_SFLOAT, {shadow_size, shadow_size}, 1, kDepth);
  lit = gpu.image(kLight, size, 1, kDrawn, eyes);
  normals = gpu.image(kLight, size, 1, kDrawn, eyes);
  reflectance = gpu.image(kReflectance, size, 1, kDrawn, eyes);
  motion = gpu.image(kMotion, size, 1, kDrawn, eyes);
  reflections = gpu.image(kLight, size, 1, VK_IMAGE_USAGE_STORAGE_BIT | kSampled, eyes);
  reflected = gpu.image(kLight, size, 1, VK_IMAGE_USAGE_STORAGE_BIT | kSampled, eyes);
  scene = gpu.image(kLight, size, 1, VK_IMAGE_USAGE_STORAGE_BIT | kSampled, eyes);
  for (uint32_t i = 0; i < kPasses; ++i) passes_[i] = make_pass(gpu, static_cast<Pass>(i));
  for (uint32_t eye = 0; eye < eyes; ++eye) {
    const VkImageView depth_view = gpu.layer_view(depth, eye);
    depth_framebuffers_[eye] = make_framebuffer(gpu, pass(Pass::kDepthClear), {depth_view}, size);
    std::vector<VkImageView> views{depth_view};
    for (const Image* image : {&lit, &normals, &reflectance, &motion}) views.push_back(gpu.layer_view(*image, eye));
    colour_framebuffers_[eye] = make_framebuffer(gpu, pass(Pass::kColour), views, size);
  }
  shadow_framebuffer_ = make_framebuffer(gpu, pass(Pass::kShadow), {shadow.view}, shadow.size);
  gpu.run([&](VkCommandBuffer commands) {
    for (const Image* image : {&reflections, &reflected, &scene}) {
      gpu.transition(commands, *image, VK_IMAGE_LAYOUT_UNDEFINED, {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                     VK_IMAGE_LAYOUT_GENERAL, kComputeBoth);
    }
  });
}

VkRenderPass Targets::make_pass(Gpu& gpu, Pass pass) {
  const bool colour = pass == Pass::kColour;
  const VkFormat depth_format = pass == Pass::kShadow ? shadow.format : depth.format;
  const bool clear_depth = pass == Pass::kDepthClear || pass == Pass::kShadow;
  const VkAttachmentDescription attachments[] = {
      attachment(depth_format, clear_depth, kDepthRead), attachment(kLight, true, kRead),
      attachment(kLight, true, kRead), attachment(kReflectance, true, kRead), attachment(kMotion, true, kRead)};
  VkAttachmentReference drawn[kDrawnImages];
  for (uint32_t i = 0; i < kDrawnImages; ++i) drawn[i] = {1 + i, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference tested{0, colour ? kDepthRead : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = colour ? kDrawnImages : 0;
  subpass.pColorAttachments = drawn;
  subpass.pDepthStencilAttachment = &tested;
  // Before the pass: waits for writes of the last pass, and for reads of shaders and copies. After it: makes its writes
  // visible to them.
  const VkSubpassDependency dependencies[2] = {{VK_SUBPASS_EXTERNAL, 0, kReaders | kAttachments, kAttachments,
                                                kAttachmentWrites, kAttachmentWrites | kAttachmentReads, 0},
                                               {0, VK_SUBPASS_EXTERNAL, kAttachments, kReaders, kAttachmentWrites,
                                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT, 0}};
  VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = colour ? 1 + kDrawnImages : 1;
  info.pAttachments = attachments;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = 2;
  info.pDependencies = dependencies;
  VkRenderPass made = VK_NULL_HANDLE;
  Gpu::require(gpu.vk.vkCreateRenderPass(gpu.handle(), &info, nullptr, &made), "vkCreateRenderPass");
  gpu.at_end([&gpu, made] { gpu.vk.vkDestroyRenderPass(gpu.handle(), made, nullptr); });
  return made;
}

VkFramebuffer Targets::make_framebuffer(Gpu& gpu, VkRenderPass pass, const std::vector<VkImageView>& views,
                                        onepass::Extent extent) {
  VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  info.renderPass = pass;
  info.attachmentCount = static_cast<uint32_t>(views.size());
  info.pAttachments = views.data();
  info.width = extent.width;
  info.height = extent.height;
  info.layers = 1;
  VkFramebuffer made = VK_NULL_HANDLE;
  Gpu::require(gpu.vk.vkCreateFramebuffer(gpu.handle(), &info, nullptr, &made), "vkCreateFramebuffer");
  gpu.at_end([&gpu, made] { gpu.vk.vkDestroyFramebuffer(gpu.handle(), made, nullptr); });
  return made;
}

void Targets::begin(VkCommandBuffer commands, Pass pass, uint32_t eye) const {
  VkClearValue clear[1 + kDrawnImages]{};
  clear[0].depthStencil = {pass == Pass::kShadow ? 1.0F : 0.0F, 0};  // infinitely far
  const onepass::Extent extent = pass == Pass::kShadow ? shadow.size : size;
  VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderPass = this->pass(pass);
  begin.framebuffer = pass == Pass::kShadow   ? shadow_framebuffer_
                      : pass == Pass::kColour ? colour_framebuffers_[eye]
                                              : depth_framebuffers_[eye];
  begin.renderArea = {{0, 0}, {extent.width, extent.height}};
  begin.clearValueCount = 1 + kDrawnImages;
  begin.pClearValues = clear;
  gpu_.vk.vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  const VkViewport viewport{0, 0, static_cast<float>(extent.width), static_cast<float>(extent.height), 0, 1};
  gpu_.vk.vkCmdSetViewport(commands, 0, 1, &viewport);
  gpu_.vk.vkCmdSetScissor(commands, 0, 1, &begin.renderArea);
}

}  // namespace samples::frame
