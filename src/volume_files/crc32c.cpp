// crc32c.cpp: eight bytes a step by eight tables, of which table k advances a byte by k further bytes of zeros.
// Source: M. E. Kounavis and F. L. Berry, "A Systematic Approach to Building High Performance Software-Based CRC
// Generators", 2005.
#include "volume_files/crc32c.hpp"

#include <array>

namespace onepass::volumes {
namespace {

constexpr uint32_t kReflectedPolynomial = 0x82F63B78;
constexpr size_t kStep = 8;  // bytes

using CrcTables = std::array<std::array<uint32_t, 256>, kStep>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < kStep; ++k) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr CrcTables kCrcTables = make_crc_tables();

}  // namespace

uint32_t crc32c_of(std::span<const std::byte> bytes) {
  uint32_t crc = 0xFFFFFFFF;
  while (bytes.size() >= kStep) {
    uint32_t next = 0;
    for (size_t i = 0; i < kStep; ++i) {
      uint32_t byte = std::to_integer<uint32_t>(bytes[i]);
      if (i < 4) byte ^= (crc >> (8 * i)) & 0xFF;
      next ^= kCrcTables[kStep - 1 - i][byte];
    }
    crc = next;
    bytes = bytes.subspan(kStep);
  }
  for (const std::byte byte : bytes) crc = (crc >> 8) ^ kCrcTables[0][(crc ^ std::to_integer<uint32_t>(byte)) & 0xFF];
  return ~crc;
}

}  // namespace onepass::volumes
