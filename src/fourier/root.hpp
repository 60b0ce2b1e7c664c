// root.hpp: roots of unity in double precision, from which both engines round their twiddle factors and chirps.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace onepass::fourier {

/// exp(-2 pi i k / n), exact on the axes: integer arithmetic reduces the angle to the first octant.
inline std::complex<double> root(uint64_t k, uint64_t n) {
  k %= n;
  const uint64_t octant = 8 * k / n;
  const uint64_t rest = 8 * k - octant * n;
  const double angle =
      static_cast<double>(octant % 2 == 0 ? rest : n - rest) * (std::numbers::pi / 4) / static_cast<double>(n);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  switch (octant) {
    case 0:
      return {c, -s};
    case 1:
      return {s, -c};
    case 2:
      return {-s, -c};
    case 3:
      return {-c, -s};
    case 4:
      return {-c, s};
    case 5:
      return {-s, c};
    case 6:
      return {s, c};
    default:
      return {c, s};
  }
}

}  // namespace onepass::fourier
