// code_table.cpp: fills a CodeTable by mapping rows that contain every half from 0 to infinity.
#include "tone_map/code_table.hpp"

#include <algorithm>
#include <array>

namespace onepass::tone_map {
namespace {

constexpr size_t kHalves = 65536;
constexpr size_t kOrdered = 0x7C00 + 1;  // halves from 0 to infinity

template <typename Code>
void fill_codes(const RowTone& tone, MapRow map_row, uint32_t bits, Code* codes) {
  constexpr size_t kTexels = 512;  // per row; each texel holds three halves
  std::array<uint16_t, 4 * kTexels> halves{};
  std::array<uint32_t, kTexels> words{};
  for (size_t first = 0; first < kOrdered; first += 3 * kTexels) {
    // The last texel also holds NaN, bits above those of infinity; std::fill() overwrites their entries.
    const size_t texels = std::min(kTexels, (kOrdered - first + 2) / 3);
    for (size_t i = 0; i < texels; ++i) {
      for (size_t c = 0; c < 3; ++c) halves[4 * i + c] = static_cast<uint16_t>(first + 3 * i + c);
    }
    map_row(tone, halves.data(), nullptr, texels, 0, 0, words.data());
    for (size_t i = 0; i < texels; ++i) {
      Code* const to = codes + first + 3 * i;
      const uint32_t mask = (1U << bits) - 1;
      to[0] = static_cast<Code>(words[i] & mask);
      to[1] = static_cast<Code>(words[i] >> bits & mask);
      to[2] = static_cast<Code>(words[i] >> 2 * bits & mask);
    }
  }
  std::fill(codes + kOrdered, codes + kHalves, codes[0]);  // NaN and negative values
}

}  // namespace

bool CodeTable::fits(const RowTone& tone) {
  return tone.store != RowStore::kFloats && !tone.dithers && keeps_channels_apart(*tone.program);
}

void CodeTable::fill(const RowTone& tone, MapRow map_row) {
  const bool bytes = tone.store == RowStore::kBytes;
  constexpr size_t kPadding = 64;  // a vector
  const size_t size = kHalves * (bytes ? sizeof(uint8_t) : sizeof(uint16_t)) + kPadding;
  if (codes_.size() == size && exposure_ == tone.exposure) return;
  codes_.resize(size);
  exposure_ = tone.exposure;
  RowTone kept = tone;
  kept.non_temporal = false;
  if (bytes) {
    fill_codes(kept, map_row, 8, reinterpret_cast<uint8_t*>(codes_.data()));
  } else {
    fill_codes(kept, map_row, 10, reinterpret_cast<uint16_t*>(codes_.data()));
  }
}

}  // namespace onepass::tone_map
