// readback.hpp: reads images and states from the GPU for pictures, outside of the measured frames.
#pragma once

#include <vector>

#include "culling.hpp"
#include "onepass/image.hpp"

namespace samples::occlusion {

class Readback {
 public:
  /// For images of at most `size` texels and scenes of `boxes` boxes.
  Readback(Gpu& gpu, onepass::Extent size, uint32_t boxes);

  /// The colours of a target, R8G8B8A8 as displayed.
  [[nodiscard]] onepass::Image colour(const Target& target) const;

  /// Levels 1 and up of the pyramid of the last frame, as floats.
  [[nodiscard]] std::vector<onepass::Image> pyramid(const Culling& culling) const;

  /// STATE_* of every box in the last frame.
  [[nodiscard]] std::vector<uint32_t> states(const Culling& culling) const;

 private:
  [[nodiscard]] onepass::Image level(const Image& image, uint32_t level, VkImageLayout layout,
                                     onepass::Format format) const;

  Gpu& gpu_;
  Buffer staging_;
};

}  // namespace samples::occlusion
