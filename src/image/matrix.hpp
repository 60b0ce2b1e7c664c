// matrix.hpp: products and inverses of 3x3 matrices.
#pragma once

#include "onepass/color.hpp"

namespace onepass {

inline ColorMatrix multiply(const ColorMatrix& a, const ColorMatrix& b) {
  ColorMatrix out{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  }
  return out;
}

/// Cofactors divided by the determinant. A determinant near 0 gives huge or infinite numbers, which the caller checks.
inline ColorMatrix inverse(const ColorMatrix& m) {
  ColorMatrix out{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      const size_t r = (j + 1) % 3, s = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
      out[i][j] = m[r][p] * m[s][q] - m[r][q] * m[s][p];
    }
  }
  const double determinant = m[0][0] * out[0][0] + m[0][1] * out[1][0] + m[0][2] * out[2][0];
  for (auto& row : out) {
    for (double& value : row) value /= determinant;
  }
  return out;
}

}  // namespace onepass
