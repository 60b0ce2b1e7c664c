// check.hpp: compares the simulation's images with their definitions, in double.
#pragma once

#include "simulation.hpp"

namespace samples::ocean {

/// Largest differences found. Relative: the root of the sum of squared differences over that of squared values.
struct Differences {
  double displacements = 0;   ///< Relative: height and horizontal displacements against sums over all waves.
  double derivatives = 0;     ///< Relative: slopes and derivatives against finite differences of the same sums.
  double mips = 0;            ///< Levels against means of 2x2 texels of the finer one; 1: as large as level 0.
  double squared_slopes = 0;  ///< Relative: the last level of the squares against Parseval's sum over all waves.
  double foam = 0;            ///< Of a texel's foam, 0 to 1, against the frame before.

  [[nodiscard]] bool small() const;  ///< Within the rounding of 16-bit floats.
};

/// Checks the current frame at some texels of each cascade, and the one after it, to which it advances.
[[nodiscard]] Differences check_frame(Simulation& simulation);

}  // namespace samples::ocean
