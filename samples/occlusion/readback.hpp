// readback.hpp: what the GPU has made, for pictures. Outside of the measured frames.
#pragma once

#include <vector>

#include "culling.hpp"
#include "onepass/image.hpp"

namespace occlusion {

/// The colours of a target, R8G8B8A8 as displayed.
onepass::Image read_colour(Gpu& gpu, const Target& target);

/// Levels 1 and up of the pyramid of the last frame, as floats.
std::vector<onepass::Image> read_pyramid(Gpu& gpu, const Culling& culling);

/// STATE_* of every box in the last frame.
std::vector<uint32_t> read_states(Gpu& gpu, const Culling& culling);

}  // namespace occlusion
