// cpu_srgb.hpp: the curved part of the sRGB encoding as quartics, for SIMD targets that can look coefficients up in
// registers. Not exact: where a value lies too near to the boundary between two codes, srgb.hpp's table has to decide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace onepass::cpu {

struct SrgbQuartics {
  static constexpr size_t kDegree = 4;
  static constexpr float kFirst = 0.0031308F;  ///< Smaller values are on the straight part.
  /// No code lies further off than this, in codes. Measured over all floats: 2.2e-4.
  static constexpr float kError = 4e-4F;

  /// code = c[0][i] + v * (c[1][i] + v * (c[2][i] + v * (c[3][i] + v * c[4][i]))), where i is the lowest five of a
  /// float's exponent and first mantissa bit: every octave in two.
  alignas(64) std::array<std::array<float, 32>, kDegree + 1> coefficients;
};

/// The coefficients, made on first use.
const SrgbQuartics& srgb_quartics();

}  // namespace onepass::cpu
