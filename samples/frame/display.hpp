// display.hpp: from the light that reaches the eye to a picture: metering with adaptation, bloom, tone mapping.
#pragma once

#include <optional>

#include "common/gpu.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "options.hpp"
#include "targets.hpp"

namespace samples::frame {

class Display {
 public:
  Display(Gpu& gpu, const Targets& targets, const Options& options);

  /// Meters Targets::scene. `seconds` since the frame before; `cut`: without adaptation.
  void record_meter(VkCommandBuffer commands, float seconds, bool cut) const;
  /// Scatters light of Targets::scene.
  void record_bloom(VkCommandBuffer commands) const;
  /// Maps the light to picture(), with the exposure of the meter of the first eye. `bloom`: after record_bloom().
  void record_tone_map(VkCommandBuffer commands, bool bloom, bool local_exposure) const;
  /// Copies the meter's results to the host; meter_result() has them after the commands have run.
  void record_readback(VkCommandBuffer commands) const;

  [[nodiscard]] onepass::MeterResult meter_result() const;
  /// The picture: sRGB in RGBA8, or PQ in RGBA16; in VK_IMAGE_LAYOUT_GENERAL.
  [[nodiscard]] const Image& picture() const { return picture_; }

 private:
  const Gpu& gpu_;
  onepass::vulkan::Meter meter_;
  onepass::vulkan::MeterBinding meter_binding_;
  Image glowing_;  ///< The light after bloom.
  onepass::vulkan::Bloom bloom_;
  onepass::vulkan::OperationBinding bloom_binding_;
  Image picture_;
  onepass::vulkan::ToneMap global_;
  onepass::vulkan::ToneMapBinding global_binding_;
  onepass::vulkan::ToneMapBinding plain_binding_;  ///< Without bloom.
  onepass::vulkan::ToneMap local_;
  onepass::vulkan::ToneMapBinding local_binding_;
  Buffer result_;
};

}  // namespace samples::frame
