// crc32c.hpp: the checksum of the indexes of shards. Source: RFC 3720, "Internet Small Computer Systems Interface",
// 2004, appendix B.4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace onepass::volumes {

/// CRC-32C (Castagnoli), a byte at a time: indexes are small.
inline uint32_t crc32c_of(std::span<const std::byte> bytes) {
  constexpr auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < table.size(); ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x82F63B78U : 0);
      table[i] = value;
    }
    return table;
  }();
  uint32_t crc = 0xFFFFFFFFU;
  for (const std::byte b : bytes) crc = crc >> 8 ^ kTable[(crc ^ std::to_integer<uint32_t>(b)) & 0xFF];
  return ~crc;
}

}  // namespace onepass::volumes
