// correlation_peak.hpp: the peak of a correlation surface, to fractions of a texel.
#pragma once

#include <span>

#include "cpu/workers.hpp"
#include "onepass/fourier_correlation.hpp"

namespace onepass::cpu {

/// The peak texel of a correlation surface c and its surroundings.
struct PeakTexel {
  uint32_t x = 0;
  uint32_t y = 0;
  double value = 0;
  double left = 0;  ///< Neighbours, wrapped around the edges.
  double right = 0;
  double above = 0;
  double below = 0;
  double range_x = 0;  ///< Largest less smallest value of its row,
  double range_y = 0;  ///< and of its column.
};

/// The local maximum of the shortest shift within ONEPASS_CORRELATION_TIE of the largest value; of equal shifts the
/// first. `c` must not contain NaN or Inf.
[[nodiscard]] PeakTexel find_peak(std::span<const float> c, Extent size);

/// Converts a peak to a shift; 0 along an axis on which c does not vary. `spectrum` is read for
/// PeakRefinement::kFourier only: pairs of the half spectrum of c in columns, whose unnormalised inverse transform is c
/// times the number of texels.
[[nodiscard]] ShiftEstimate shift_of(const PeakTexel& peak, Extent size, PeakRefinement refinement,
                                     std::span<const float> spectrum, Workers& workers);

}  // namespace onepass::cpu
