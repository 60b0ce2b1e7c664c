// bc6h.hpp: what the decoder and the encoder of BC6H share: the order of bits, endpoints, half floats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "blocks/tables.hpp"

namespace onepass::blocks {

/// The bits of the endpoints of a mode of BC6H, in the order of the block: 16 * (3 * endpoint + channel) + bit.
struct Bc6hLayout {
  std::array<uint8_t, 80> bits{};
  uint32_t count = 0;
};

constexpr Bc6hLayout parse_layout(std::string_view text) {
  Bc6hLayout out;
  size_t at = 0;
  const auto number = [&] {
    uint32_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      value = 10 * value + static_cast<uint32_t>(text[at++] - '0');
    }
    return value;
  };
  while (at < text.size()) {
    const uint32_t channel = text[at] == 'r' ? 0 : text[at] == 'g' ? 1 : 2;
    ++at;
    const uint32_t field = 16 * (3 * number() + channel);
    ++at;  // ':'
    const uint32_t last = number();
    uint32_t bit = last;
    if (at < text.size() && text[at] == '-') {
      ++at;
      bit = number();
    }
    for (;; bit < last ? ++bit : --bit) {
      out.bits[out.count++] = static_cast<uint8_t>(field + bit);
      if (bit == last) break;
    }
    ++at;  // ' '
  }
  return out;
}

inline constexpr auto kBc6hLayouts = [] {
  std::array<Bc6hLayout, kBc6hModes.size()> layouts;
  for (size_t m = 0; m < layouts.size(); ++m) layouts[m] = parse_layout(kBc6hModes[m].layout);
  return layouts;
}();

/// Four endpoints of three channels.
using Bc6hEndpoints = std::array<std::array<int32_t, 3>, 4>;

inline int32_t with_sign(int32_t value, uint32_t count) {
  const int32_t sign = int32_t{1} << (count - 1);
  return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/// The integers that stored endpoints mean, of 16 bits, or of 17 with their sign.
inline int32_t expand_endpoint(int32_t value, uint32_t count, bool has_sign) {
  if (!has_sign) {
    if (count >= 15 || value == 0) return value;
    if (value == (1 << count) - 1) return 0xFFFF;
    return ((value << 15) + 0x4000) >> (count - 1);
  }
  if (count >= 16 || value == 0) return value;
  const int32_t size = value < 0 ? -value : value;
  const int32_t out = size >= (1 << (count - 1)) - 1 ? 0x7FFF : ((size << 15) + 0x4000) >> (count - 1);
  return value < 0 ? -out : out;
}

/// The half float that an interpolated integer means.
inline uint16_t finish_bc6h(int32_t value, bool has_sign) {
  if (!has_sign) return static_cast<uint16_t>((value * 31) >> 6);
  return static_cast<uint16_t>(value < 0 ? ((-value * 31) >> 5) | 0x8000 : (value * 31) >> 5);
}

}  // namespace onepass::blocks
