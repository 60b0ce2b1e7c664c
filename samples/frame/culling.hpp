// culling.hpp: the lists of objects that pass the culling tests.
#pragma once

#include "common/gpu.hpp"
#include "geometry.hpp"
#include "pyramids.hpp"

namespace samples::frame {

class Culling {
 public:
  /// The visible set is empty at first, so that phase 2 of the first frame draws all objects in view.
  Culling(Gpu& gpu, const SceneBuffers& buffers, const FramePyramid& farthest);

  /// Makes a list: LIST_EARLY, LIST_LATE (after the pyramid) or LIST_IN_VIEW.
  void record_list(VkCommandBuffer commands, uint32_t list) const;

  /// The state of each object after the last frame: STATE_*.
  [[nodiscard]] const Buffer& states() const { return states_; }

 private:
  const Gpu& gpu_;
  const SceneBuffers& buffers_;
  Buffer states_;
  Pipeline pipeline_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace samples::frame
