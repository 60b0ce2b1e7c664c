// renderer.hpp: draws the water in perspective, four samples per pixel, and maps its light to a picture.
#pragma once

#include "onepass/vulkan/tone_map.hpp"
#include "simulation.hpp"

namespace samples::ocean {

class Renderer {
 public:
  Renderer(Gpu& gpu, const Simulation& simulation, onepass::Extent size);

  /// Draws the simulation's current frame. The picture is sRGB-encoded, four bytes per pixel.
  [[nodiscard]] onepass::Image draw();

 private:
  void make_pass();
  void make_framebuffer();
  void make_pipeline();
  void record_draw(VkCommandBuffer commands) const;

  Gpu& gpu_;
  onepass::Extent size_;
  DrawParams params_{};
  Image light_, depth_, picture_;
  onepass::vulkan::Pyramid resolve_;
  onepass::vulkan::PyramidBinding resolve_binding_;
  onepass::vulkan::ToneMap map_;
  onepass::vulkan::ToneMapBinding map_binding_;
  Buffer staging_;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
  Pipeline pipeline_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace samples::ocean
