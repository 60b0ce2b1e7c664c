// correlation_peak.hpp: where a correlation is largest, between texels.
#pragma once

#include <span>

#include "cpu/workers.hpp"
#include "onepass/fourier_correlation.hpp"

namespace onepass::cpu {

/// A place on the circle of shifts and the correlation there.
struct Peak {
  double x = 0;
  double y = 0;
  double value = 0;
};

/// The first largest texel of c. Neither NaN nor Inf may be in it.
[[nodiscard]] Peak find_peak(std::span<const float> c, Extent size);

/// The values beside a texel of c.
struct PeakNeighbours {
  double left = 0;
  double right = 0;
  double above = 0;
  double below = 0;
};

/// `peak` moved to the vertices of parabolas through its neighbours.
[[nodiscard]] Peak refine_by_parabola(std::span<const float> c, Extent size, const Peak& peak);

[[nodiscard]] Peak refine_by_parabola(const PeakNeighbours& beside, const Peak& peak);

/// `peak`, on a texel, moved to the maximum nearby of the trigonometric polynomial whose half spectrum, in columns, is
/// `spectrum`: pairs, c = the bare inverse sum times `factor`. Starts at `start`.
[[nodiscard]] Peak refine_by_fourier(std::span<const float> spectrum, Extent size, double factor, const Peak& peak,
                                     const Peak& start, Workers& workers);

/// The shift that a place on the circle of shifts means.
[[nodiscard]] ShiftEstimate shift_of(const Peak& peak, Extent size);

}  // namespace onepass::cpu
