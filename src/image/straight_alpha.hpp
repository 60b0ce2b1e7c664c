// straight_alpha.hpp: the division of premultiplied colours by alpha, for every writer and conversion.
#pragma once

#include <cstddef>
#include <limits>

namespace onepass {

/// Divides the colours of an RGBA texel by its alpha. Colours with alpha 0, which readers that ignore alpha show, stay
/// as they are. `limit`: the largest magnitude of a quotient; NaN stays.
inline void make_straight(float* rgba, float limit = std::numeric_limits<float>::max()) {
  const float alpha = rgba[3];
  if (alpha == 0 || alpha == 1) return;
  for (size_t c = 0; c < 3; ++c) {
    const float value = rgba[c] / alpha;
    rgba[c] = value > limit ? limit : value < -limit ? -limit : value;
  }
}

}  // namespace onepass
