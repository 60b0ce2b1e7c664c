// srgb.hpp: the sRGB transfer function for 8-bit values, by lookup tables that are exact in float.
//
// Encoding rounds the exact curve to the nearest quantised value. The upper 16 bits of a float (exponent and 7 mantissa
// bits) select a segment so narrow that it contains at most one of the 255 boundaries between quantised values. The
// entry of a segment has the value below that boundary in its upper half, and 2^16 minus the lower 16 bits of the
// boundary in its lower half. Adding the lower 16 bits of the float carries into the upper half exactly if the float
// has reached the boundary.
//
// Source: IEC 61966-2-1:1999.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace onepass {

struct SrgbTables {
  static constexpr float kSmallest = 1.0F / 8192;  ///< Less than the first boundary, 0.5 / 255 / 12.92.
  static constexpr uint32_t kFirstSegment = std::bit_cast<uint32_t>(kSmallest) >> 16;
  static constexpr uint32_t kSegments = (std::bit_cast<uint32_t>(1.0F) >> 16) - kFirstSegment + 1;

  std::array<double, 512> decode_double;  ///< Linear light of each 8-bit value; from 256 on alpha: value / 255.
  std::array<float, 512> decode;          ///< The same, rounded.
  /// Byte b of decode[code] at [256 * b + code], for lookup tables in registers.
  alignas(64) std::array<uint8_t, 1024> decode_bytes;
  std::array<uint32_t, kSegments> encode;  ///< Entries of segments; see above.
};

/// The tables, built on first use.
const SrgbTables& srgb_tables();

/// The quantised value nearest to linear light `value`, which is clamped to 0..1; NaN becomes 0.
inline uint32_t encode_srgb(const SrgbTables& tables, float value) {
  if (!(value > SrgbTables::kSmallest)) return 0;
  const auto bits = std::bit_cast<uint32_t>(value < 1.0F ? value : 1.0F);
  return (tables.encode[(bits >> 16) - SrgbTables::kFirstSegment] + (bits & 0xFFFFU)) >> 16;
}

}  // namespace onepass
