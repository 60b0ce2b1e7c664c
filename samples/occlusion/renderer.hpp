// renderer.hpp: draws lists of boxes into a colour and a depth image.
#pragma once

#include "common/gpu.hpp"
#include "scene.hpp"

namespace samples::occlusion {

/// The images of a render pass. Between passes the colour is in SHADER_READ_ONLY_OPTIMAL, the depth in kDepthRead.
struct Target {
  Image colour;
  Image depth;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
};
inline constexpr VkImageLayout kDepthRead = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;

/// The boxes of a scene on the GPU, and the lists of boxes to draw.
struct BoxLists {
  Buffer boxes;
  Buffer entries;   ///< LIST_COUNT lists of `count` box numbers.
  Buffer commands;  ///< One VkDrawIndirectCommand per list; instanceCount is the length of the list.
  uint32_t count = 0;

  BoxLists(Gpu& gpu, const Scene& scene);

  /// Empties all lists but LIST_ALL.
  void record_clear(const Gpu& gpu, VkCommandBuffer commands) const;
};

class Renderer {
 public:
  enum class Pass { kClear, kContinue };

  Renderer(Gpu& gpu, const BoxLists& lists);

  Target target(onepass::Extent size);

  /// Draws a list. Waits for earlier reads of the target by compute shaders and copies, and for writes of the lists by
  /// compute shaders. The drawn images are visible to later compute shaders and copies.
  void record(VkCommandBuffer commands, const Target& target, Pass pass, const Camera& camera, uint32_t list) const;

 private:
  void make_pipeline();
  [[nodiscard]] VkRenderPass make_pass(Pass pass);

  Gpu& gpu_;
  const BoxLists& lists_;
  VkRenderPass clear_pass_ = VK_NULL_HANDLE;
  VkRenderPass continue_pass_ = VK_NULL_HANDLE;
  Pipeline pipeline_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace samples::occlusion
