// frame.hpp: one frame with occlusion culling, the same frame without, and a comparison of both.
//
//     phase 1            draws the boxes in view that were visible last frame
//     pyramid            reduces the depth of phase 1
//     phase 2            draws the other boxes in view unless the pyramid hides them
//
// The CPU reads nothing back within a frame: compute shaders make the lists, and indirect draws use them.
#pragma once

#include "culling.hpp"

namespace samples::occlusion {

/// GPU times in microseconds.
struct FrameTimes {
  double early_draw = 0;  ///< Phase 1.
  double pyramid = 0;
  double cull = 0;       ///< The lists of both phases.
  double late_draw = 0;  ///< Phase 2.
  double total = 0;      ///< From the first command to the last: the sum of the above.
  double in_view = 0;    ///< Without occlusion culling: list and draw of everything in view.
  double all = 0;        ///< Without any culling: draw of every box.
};

struct FrameResult {
  FrameTimes times;
  uint32_t in_view = 0;  ///< Boxes drawn without occlusion culling.
  uint32_t early = 0;    ///< Boxes drawn in phase 1.
  uint32_t late = 0;     ///< Boxes drawn in phase 2.
  uint32_t wrong = 0;    ///< Pixels whose colour or depth differ from the frame of all boxes.
};

class FrameLoop {
 public:
  FrameLoop(Gpu& gpu, const Scene& scene, onepass::Extent size, onepass::Footprint footprint);

  /// Draws the frame with culling, then without, and compares.
  FrameResult draw(const Camera& camera);

  [[nodiscard]] const Target& culled() const { return culled_; }
  [[nodiscard]] const Target& reference() const { return reference_; }
  [[nodiscard]] const Culling& culling() const { return culling_; }

 private:
  void record_culled(VkCommandBuffer commands, const Camera& camera) const;
  void record_reference(VkCommandBuffer commands, const Camera& camera) const;
  void record_comparison(VkCommandBuffer commands) const;
  void stamp(VkCommandBuffer commands, uint32_t index) const;
  [[nodiscard]] FrameTimes read_times() const;

  Gpu& gpu_;
  BoxLists lists_;
  Renderer renderer_;
  Target culled_;
  Target reference_;
  Culling culling_;
  Pipeline compare_;
  VkDescriptorSet compare_set_ = VK_NULL_HANDLE;
  Buffer different_;
  Buffer results_;  // the draw commands with their counts, and `different`, for the host
  VkQueryPool stamps_ = VK_NULL_HANDLE;
};

}  // namespace samples::occlusion
