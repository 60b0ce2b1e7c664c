// weights.hpp: the weight of a pixel: 0 to 255, or 0 and 1 for spot metering. The Vulkan version is onepass_weight() in
// shaders/onepass/luminance_pixels.glsl.
#pragma once

#include <algorithm>
#include <cstdint>

#include "luminance/params.hpp"

namespace onepass::luminance {

/// The squared distance from the centre along one axis, in units of the radius.
inline float axis_distance(uint32_t texel, float centre, float inverse_radius) {
  const float distance = (static_cast<float>(texel) - centre) * inverse_radius;
  return distance * distance;
}

inline uint8_t centre_weight(float squared_distance) {
  const float rest = std::max(1.0F - squared_distance, 0.0F);
  return static_cast<uint8_t>(rest * rest * 255.0F + 0.5F);
}

inline uint8_t spot_weight(float squared_distance) { return squared_distance <= 1.0F ? 1 : 0; }

/// `value`: first channel of the mask, as a sampler returns it.
inline uint8_t mask_weight(float value) {
  if (!(value > 0.0F)) return 0;  // NaN too
  return static_cast<uint8_t>(std::min(value, 1.0F) * 255.0F + 0.5F);
}

}  // namespace onepass::luminance
