// effects.hpp: the compute shaders between the lit frame and the light that reaches the eye: light with reflections,
// particles, fog, their sum, and the comparison of two frames.
#pragma once

#include "common/gpu.hpp"
#include "geometry.hpp"
#include "pyramids.hpp"
#include "targets.hpp"

namespace samples::frame {

class Effects {
 public:
  Effects(Gpu& gpu, const SceneBuffers& buffers, const Targets& targets, const Pyramids& pyramids);

  /// Sets all counters to 0.
  void record_clear(VkCommandBuffer commands) const;
  /// Writes Targets::reflected. `reflections`: after Reflections::record().
  void record_reflected(VkCommandBuffer commands, bool reflections) const;
  void record_particles(VkCommandBuffer commands, const FrameParams& frame, bool cell_first) const;
  void record_fog(VkCommandBuffer commands, const FrameParams& frame, bool bounded) const;
  /// Writes Targets::scene; waits for the three effects.
  void record_compose(VkCommandBuffer commands, bool fog, bool particles) const;
  /// Keeps Targets::scene and the depths, or counts texels that differ from the kept ones.
  void record_compare(VkCommandBuffer commands, bool compare) const;

  /// Counters, in device memory.
  [[nodiscard]] const Buffer& counters() const { return counters_; }

 private:
  struct Step {
    Pipeline pipeline;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  void dispatch_texels(VkCommandBuffer commands, const Step& step, std::span<const std::byte> push,
                       onepass::Extent size) const;

  const Gpu& gpu_;
  const Targets& targets_;
  Buffer counters_;
  Buffer particle_light_;
  Buffer fog_;
  Buffer kept_;
  Step reflect_;
  Step particles_;
  Step fog_step_;
  Step compose_;
  Step compare_;
};

/// Texels per side of a column of fog, for an image of `size`.
[[nodiscard]] uint32_t fog_tile(onepass::Extent size);

}  // namespace samples::frame
