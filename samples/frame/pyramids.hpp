// pyramids.hpp: what onepass makes of the frame's depth: Hi-Z for culling, and Hi-Z for reflections, particles and fog.
#pragma once

#include "common/gpu.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "targets.hpp"

namespace samples::frame {

/// A pyramid of all layers of an image. Mip level n of image() is level n + 1; in VK_IMAGE_LAYOUT_GENERAL.
class FramePyramid {
 public:
  FramePyramid(Gpu& gpu, const Image& source, VkImageLayout layout, const onepass::PyramidOptions& options);

  /// The source is visible to compute shaders, as after a render pass. Waits for earlier readers of the levels; the
  /// levels are visible to compute shaders afterwards.
  void record(VkCommandBuffer commands) const;
  [[nodiscard]] const Image& image() const { return image_; }

 private:
  const Gpu& gpu_;
  onepass::vulkan::Pyramid pyramid_;
  Image image_;
  onepass::vulkan::PyramidBinding binding_;
};

struct Pyramids {
  Pyramids(Gpu& gpu, const Targets& targets);

  FramePyramid farthest;  ///< min (reversed depth), r32f: for culling.
  FramePyramid min_max;   ///< rg32f: farthest and nearest.
};

}  // namespace samples::frame
