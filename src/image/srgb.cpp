// srgb.cpp: builds the tables of srgb.hpp.
#include "image/srgb.hpp"

#include <cmath>
#include <limits>

namespace onepass {
namespace {

double decode_srgb(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

/// Bits of the smallest float that is not below `exact`. Positive floats have the order of their bits.
uint32_t bits_not_below(double exact) {
  auto nearest = static_cast<float>(exact);
  if (static_cast<double>(nearest) < exact) nearest = std::nextafter(nearest, std::numeric_limits<float>::infinity());
  return std::bit_cast<uint32_t>(nearest);
}

SrgbTables make_tables() {
  SrgbTables tables{};
  for (uint32_t code = 0; code < 256; ++code) {
    tables.decode_double[code] = decode_srgb(code / 255.0);
    tables.decode_double[code + 256] = code / 255.0;
  }
  for (uint32_t i = 0; i < 512; ++i) tables.decode[i] = static_cast<float>(tables.decode_double[i]);
  for (uint32_t i = 0; i < 1024; ++i) {
    tables.decode_bytes[i] = static_cast<uint8_t>(std::bit_cast<uint32_t>(tables.decode[i % 256]) >> 8 * (i / 256));
  }

  uint32_t code = 0;  // quantised value at the start of the segment
  for (uint32_t segment = 0; segment < SrgbTables::kSegments; ++segment) {
    const uint32_t first_bits = (segment + SrgbTables::kFirstSegment) << 16;
    const uint32_t boundary = code < 255 ? bits_not_below(decode_srgb((code + 0.5) / 255.0)) : ~0U;
    const bool inside = boundary - first_bits < 0x10000U;
    tables.encode[segment] = (code << 16) + (inside ? 0x10000U - (boundary - first_bits) : 0U);
    code += inside ? 1 : 0;
  }
  return tables;
}

}  // namespace

const SrgbTables& srgb_tables() {
  static const SrgbTables tables = make_tables();
  return tables;
}

}  // namespace onepass
