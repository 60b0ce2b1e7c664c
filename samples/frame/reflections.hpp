// reflections.hpp: reflections of the screen by onepass, of a frame's images.
#pragma once

#include <span>

#include "common/gpu.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "pyramids.hpp"
#include "targets.hpp"

namespace samples::frame {

/// The options of a frame's reflections. Others of onepass::ReflectionOptions follow from the images.
struct ReflectionQuality {
  onepass::ReflectionRays rays = onepass::ReflectionRays::kOne;
  onepass::ReflectionResolution resolution = onepass::ReflectionResolution::kFull;
  bool history = true;
  bool filter = true;  ///< Over texels.
};

/// Writes Targets::reflections. Each object has a history of its own.
class Reflections {
 public:
  Reflections(Gpu& gpu, const Targets& targets, const Pyramids& pyramids, const ReflectionQuality& quality);

  /// Waits for the images of the frame; the reflections are visible to compute shaders afterwards. `eyes`: of this
  /// frame. `index`: another one, other random rays. `reset`: the last frame is no history.
  void record(VkCommandBuffer commands, std::span<const Eye> eyes, uint32_t index, bool reset) const;

 private:
  const Gpu& gpu_;
  onepass::vulkan::Reflection reflection_;
  onepass::vulkan::ReflectionBinding binding_;
};

}  // namespace samples::frame
