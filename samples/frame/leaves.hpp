// leaves.hpp: the texture of leaves and grass, with alpha.
#pragma once

#include "onepass/image.hpp"

namespace samples::frame {

inline constexpr uint32_t kLeavesSize = 256;

/// Two slices of kLeavesSize x kLeavesSize texels, RGBA8: a twig with leaves, a tuft of grass. Alpha is the share of a
/// texel that is covered; colours, linear, are shades around 1.
[[nodiscard]] onepass::Image make_leaves();

}  // namespace samples::frame
