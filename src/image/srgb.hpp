// srgb.hpp: the sRGB transfer function of 8-bit codes as tables that are exact in float.
//
// Encoding rounds the exact curve to the nearest code. The idea: the upper 16 bits of a float (exponent and 7 mantissa
// bits) name a segment so narrow that at most one of the 255 code boundaries falls into it. A segment's entry holds the
// code below that boundary in its upper half and 2^16 minus the boundary's lower 16 bits in its lower half: adding the
// lower 16 bits of the value carries into the code exactly when the value has reached the boundary.
//
// Source: IEC 61966-2-1:1999.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace onepass {

struct SrgbTables {
  static constexpr float kSmallest = 1.0F / 8192;  ///< Below the first boundary, 0.5 / 255 / 12.92.
  static constexpr uint32_t kFirstSegment = std::bit_cast<uint32_t>(kSmallest) >> 16;
  static constexpr uint32_t kSegments = (std::bit_cast<uint32_t>(1.0F) >> 16) - kFirstSegment + 1;

  std::array<double, 512> decode_double;  ///< Linear light of each code; from 256 on, code / 255: alpha.
  std::array<float, 512> decode;          ///< The same, rounded.
  /// Byte b of decode[code] at [256 * b + code], for lookups in registers.
  alignas(64) std::array<uint8_t, 1024> decode_bytes;
  std::array<uint32_t, kSegments> encode;  ///< See above.
};

/// The tables, made on first use.
const SrgbTables& srgb_tables();

/// The code nearest to linear light `value`, clamped to 0..1; NaN becomes 0.
inline uint32_t encode_srgb(const SrgbTables& tables, float value) {
  if (!(value > SrgbTables::kSmallest)) return 0;
  const auto bits = std::bit_cast<uint32_t>(value < 1.0F ? value : 1.0F);
  return (tables.encode[(bits >> 16) - SrgbTables::kFirstSegment] + (bits & 0xFFFFU)) >> 16;
}

}  // namespace onepass
