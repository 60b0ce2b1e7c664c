// row_srgb.hpp: sRGB for sums of many texels. srgb.hpp's tables are exact; these are what is cheap for vectors:
//
// - Linear light in fixed point: the sum of four texels is exact in a float, so any way to add them up gives the same
//   bits. 22 bits are off by half of 2^-22, at worst 4e-4 of a code, near black.
// - Codes by quartics whose coefficients are looked up in registers. Where a value lies too near to the boundary
//   between two codes, srgb.hpp's table has to decide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace onepass::cpu {

struct SrgbFixed {
  static constexpr uint32_t kBits = 22;
  static constexpr size_t kPlanes = 3;

  /// Linear light of each code, a multiple of 2^-22; from 256 on alpha, which stays a code.
  std::array<float, 512> decode;
  /// Byte b of decode[code] at [256 * b + code], for lookups in registers.
  alignas(64) std::array<uint8_t, 1024> decode_bytes;
  /// Byte b of 2^22 * decode[code] at [b][code], the lowest first.
  alignas(64) std::array<std::array<uint8_t, 256>, kPlanes> planes;
};

/// The tables, made on first use.
const SrgbFixed& srgb_fixed();

struct SrgbQuartics {
  static constexpr size_t kDegree = 4;
  static constexpr float kLeast = 0x1.8p-16F;  ///< Values are raised to this: a twentieth of a code.
  /// What they make is a float from 256 to 512: the code in the upper eight bits of the mantissa...
  static constexpr int kCodeShift = 15;
  /// ...and, unless it is within 2^-12 of the next, a bit of these behind it. No quartic is further off than 2.0e-4,
  /// measured over all floats.
  static constexpr uint32_t kSureBits = 0x7FF0;

  /// c[0][i] + v * (c[1][i] + v * (c[2][i] + v * (c[3][i] + v * c[4][i]))), where i is the lowest five of a float's
  /// exponent and first mantissa bit: every octave in two.
  alignas(64) std::array<std::array<float, 32>, kDegree + 1> coefficients;
};

/// The coefficients, made on first use.
const SrgbQuartics& srgb_quartics();

}  // namespace onepass::cpu
