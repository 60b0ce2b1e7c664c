// pictures.hpp: the fields as a picture.
#pragma once

#include "simulation.hpp"

namespace samples::ocean {

/// Heights, slopes and foam of the current frame, a row each, and in a row the cascades from the longest patch to the
/// shortest. Heights: dark is low. Slopes: red along x, green along z. Six standard deviations are the range of a byte.
[[nodiscard]] onepass::Image draw_maps(const Simulation& simulation);

}  // namespace samples::ocean
