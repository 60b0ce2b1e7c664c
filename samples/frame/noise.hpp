// noise.hpp: errors and flicker of the reflections, against means of many rays.
#pragma once

#include "frame.hpp"

namespace samples::frame {

/// Prints tables: a still camera at `time` along the path, and a camera that moves on from there. Takes minutes in
/// software.
void print_noise(Gpu& gpu, FrameLoop& loop, float time);

}  // namespace samples::frame
