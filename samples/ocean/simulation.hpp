// simulation.hpp: the water's surface as images with mip chains, of one frame after the other.
//
//     waves --evolve.comp--> spectra --inverse transform--> fields --whitecaps.comp--> surface
//                                                             |                          |
//                                                         mip chain                  mip chain
#pragma once

#include <array>
#include <vector>

#include "common/gpu.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "options.hpp"
#include "spectrum.hpp"

namespace samples::ocean {

/// The steps of a frame that are timed.
enum class Step : uint32_t { kEvolve, kTransform, kWhitecaps, kMipChains };
inline constexpr uint32_t kSteps = 4;

class Simulation {
 public:
  Simulation(Gpu& gpu, const Options& options);

  /// Computes the next frame; the first one is frame 1. Returns the GPU time of each step, microseconds.
  std::array<double, kSteps> advance();

  /// Channels: 2 * CASCADES layers, as in evolve.comp.
  [[nodiscard]] const Image& fields() const { return fields_; }
  /// Squares and product of the slopes, foam: CASCADES layers. Both images stay in VK_IMAGE_LAYOUT_GENERAL.
  [[nodiscard]] const Image& surface() const { return surface_; }
  [[nodiscard]] const WaterParams& params() const { return params_; }
  [[nodiscard]] const std::vector<Wave>& waves(uint32_t cascade) const { return waves_[cascade]; }
  [[nodiscard]] double significant_height() const;  ///< Of the waves: four standard deviations, metres.
  [[nodiscard]] const onepass::vulkan::Transform& transform() const { return transform_; }

  /// A level of a layer, four floats per texel.
  [[nodiscard]] std::vector<std::array<float, 4>> read(const Image& image, uint32_t level, uint32_t layer) const;

 private:
  void upload_waves(Gpu& gpu);
  void record(VkCommandBuffer commands, Step step) const;

  Gpu& gpu_;
  WaterParams params_{};
  std::array<std::vector<Wave>, CASCADES> waves_;
  onepass::vulkan::Transform transform_;
  onepass::vulkan::Pyramid fields_mips_, surface_mips_;
  Image fields_, surface_;
  Buffer wave_buffer_, spectra_, staging_;
  onepass::vulkan::TransformBinding transform_binding_;
  onepass::vulkan::PyramidBinding fields_binding_, surface_binding_;
  Pipeline evolve_, whitecaps_;
  VkDescriptorSet evolve_set_ = VK_NULL_HANDLE;
  VkDescriptorSet whitecaps_set_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
};

}  // namespace samples::ocean
