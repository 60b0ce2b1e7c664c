// correlation_peak.hpp: where a correlation is largest, between texels.
#pragma once

#include <span>

#include "cpu/workers.hpp"
#include "onepass/fourier_correlation.hpp"

namespace onepass::cpu {

/// A texel of a correlation c, a largest one, and what is around it.
struct PeakTexel {
  uint32_t x = 0;
  uint32_t y = 0;
  double value = 0;
  double left = 0;  ///< Neighbours, around the circle.
  double right = 0;
  double above = 0;
  double below = 0;
  double range_x = 0;  ///< The largest less the smallest value of its row...
  double range_y = 0;  ///< ... and of its column.
};

/// Of the local maxima that rounding alone could tell from the largest value, the one of the shortest shift, the first
/// of those. Neither NaN nor Inf may be in `c`.
[[nodiscard]] PeakTexel find_peak(std::span<const float> c, Extent size);

/// The shift that `peak` means. Along an axis on which c does not vary it is 0. `spectrum` is read for
/// PeakRefinement::kFourier only: the half spectrum of c in columns, pairs, whose bare inverse sum is c times the
/// number of texels.
[[nodiscard]] ShiftEstimate shift_of(const PeakTexel& peak, Extent size, PeakRefinement refinement,
                                     std::span<const float> spectrum, Workers& workers);

}  // namespace onepass::cpu
