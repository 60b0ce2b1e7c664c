// culling.hpp: the depth pyramid, and the lists of boxes that pass the culling tests.
#pragma once

#include "common/gpu.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "renderer.hpp"

namespace samples::occlusion {

class Culling {
 public:
  /// For the depth of one target. The visible set is empty at first, so that phase 2 of the first frame draws all boxes
  /// in view.
  Culling(Gpu& gpu, const BoxLists& lists, const Target& target, onepass::Footprint footprint);

  /// Makes a list: LIST_EARLY, LIST_LATE (after record_pyramid) or LIST_IN_VIEW.
  void record_list(VkCommandBuffer commands, const Camera& camera, uint32_t list) const;

  /// Reduces the target's depth: levels 1 and up.
  void record_pyramid(VkCommandBuffer commands) const;

  /// The state of each box after the last frame: STATE_*.
  [[nodiscard]] const Buffer& states() const { return states_; }
  /// Mip level n is level n + 1 of the pyramid; in VK_IMAGE_LAYOUT_GENERAL.
  [[nodiscard]] const Image& pyramid_image() const { return hiz_; }

 private:
  Gpu& gpu_;
  const BoxLists& lists_;
  onepass::Extent size_;
  onepass::Footprint footprint_;
  onepass::vulkan::Pyramid pyramid_;
  Image hiz_;
  onepass::vulkan::PyramidBinding binding_;
  Buffer states_;
  Pipeline pipeline_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace samples::occlusion
