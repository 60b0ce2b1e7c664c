// row_srgb.hpp: 8-bit sRGB tables for SIMD. The tables in srgb.hpp are exact; these are cheaper for vectors:
//
// - Linear light in fixed point of 22 bits. The sum of four texels is exact in a float, so any order of addition gives
//   the same bits. The rounding error is at most 2^-23, which is 4e-4 of a quantisation step near black.
// - Encoding by quartics whose coefficients are looked up in registers. If a value lies too close to the boundary
//   between two quantised values, the exact table of srgb.hpp decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace onepass::image {

struct SrgbFixed {
  static constexpr uint32_t kBits = 22;
  static constexpr size_t kPlanes = 3;

  /// Linear light of each 8-bit value, a multiple of 2^-22; from index 256 on alpha, unchanged (0 to 255).
  std::array<float, 512> decode;
  /// Byte b of decode[code] at [256 * b + code], for lookup tables in registers.
  alignas(64) std::array<uint8_t, 1024> decode_bytes;
  /// Byte b of 2^22 * decode[code] at [b][code], lowest byte first.
  alignas(64) std::array<std::array<uint8_t, 256>, kPlanes> planes;
};

/// The tables, built on first use.
const SrgbFixed& srgb_fixed();

struct SrgbQuartics {
  static constexpr size_t kDegree = 4;
  static constexpr float kLeast = 0x1.8p-16F;  ///< Smaller values are raised to this: 0.075 of a quantisation step.
  /// A quartic gives a float in 256 to 512, with the quantised value in the upper eight bits of the mantissa.
  static constexpr int kCodeShift = 15;
  /// At least one of these bits is set unless the result is within 2^-12 of a boundary between quantised values. The
  /// largest error of a quartic is 2.0e-4, measured over all floats.
  static constexpr uint32_t kSureBits = 0x7FF0;

  /// c[0][i] + v * (c[1][i] + v * (c[2][i] + v * (c[3][i] + v * c[4][i]))). The index i is the lowest five bits of the
  /// float's exponent and first mantissa bit together: two intervals per octave.
  alignas(64) std::array<std::array<float, 32>, kDegree + 1> coefficients;
};

/// The coefficients, built on first use.
const SrgbQuartics& srgb_quartics();

}  // namespace onepass::image
