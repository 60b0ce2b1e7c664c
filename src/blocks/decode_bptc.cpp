// decode_bptc.cpp: decoders of BC6H and BC7, whose blocks have modes, subsets and indices of varying size.
//
// Source: Khronos Data Format Specification 1.3, section "BPTC Compressed Texture Image Formats".
#include <bit>
#include <cstring>
#include <utility>

#include "blocks/bc6h.hpp"
#include "blocks/decode.hpp"
#include "blocks/tables.hpp"
#include "image/small_float.hpp"

namespace onepass::blocks {
namespace {

/// Reads the bits of a block, the lowest of the first byte first.
class Bits {
 public:
  explicit Bits(const std::byte* block) { std::memcpy(words_.data(), block, 16); }

  /// The next `count` bits, at most 16; 0 beyond the block.
  uint32_t read(uint32_t count) {
    if (count == 0) return 0;
    uint64_t bits = 0;
    if (at_ < 64) {
      bits = words_[0] >> at_;
      if (at_ > 0) bits |= words_[1] << (64 - at_);
    } else if (at_ < 128) {
      bits = words_[1] >> (at_ - 64);
    }
    at_ += count;
    return static_cast<uint32_t>(bits) & ((1U << count) - 1);
  }
  [[nodiscard]] uint64_t low_word() const { return words_[0]; }

 private:
  std::array<uint64_t, 2> words_;
  uint32_t at_ = 0;
};

uint32_t subset_of(uint32_t subsets, uint32_t partition, uint32_t texel) {
  if (subsets == 1) return 0;
  return subsets == 2 ? kTwoSubsets[partition] >> texel & 1 : kThreeSubsets[partition] >> (2 * texel) & 3;
}

bool is_anchor(uint32_t subsets, uint32_t partition, uint32_t texel) {
  if (texel == 0) return true;
  if (subsets == 2) return texel == kAnchorOfTwo[partition];
  return subsets == 3 && (texel == kAnchorsOfThree[0][partition] || texel == kAnchorsOfThree[1][partition]);
}

std::array<uint8_t, 16> read_indices(Bits& bits, uint32_t index_bits, uint32_t subsets, uint32_t partition) {
  std::array<uint8_t, 16> indices{};
  for (uint32_t i = 0; i < 16 && index_bits > 0; ++i) {
    indices[i] = static_cast<uint8_t>(bits.read(index_bits - (is_anchor(subsets, partition, i) ? 1 : 0)));
  }
  return indices;
}

/// Six endpoints of four channels.
using Endpoints = std::array<std::array<uint8_t, 4>, 6>;

/// Repeats the highest bits of `value`, which has `count` bits, below them.
uint8_t to_byte(uint32_t value, uint32_t count) {
  value <<= 8 - count;
  return static_cast<uint8_t>(value | value >> count);
}

Endpoints read_endpoints(Bits& bits, const Bc7Mode& mode) {
  const uint32_t count = 2U * mode.subsets;
  std::array<std::array<uint32_t, 4>, 6> stored{};
  for (uint32_t c = 0; c < 4; ++c) {
    for (uint32_t e = 0; e < count; ++e) stored[e][c] = bits.read(c < 3 ? mode.color_bits : mode.alpha_bits);
  }
  std::array<uint32_t, 6> p{};
  if (mode.p_bit == PBit::kUnique) {
    for (uint32_t e = 0; e < count; ++e) p[e] = bits.read(1);
  } else if (mode.p_bit == PBit::kShared) {
    for (uint32_t e = 0; e < count; e += 2) p[e] = p[e + 1] = bits.read(1);
  }
  const uint32_t more = mode.p_bit == PBit::kNone ? 0 : 1;
  Endpoints out{};
  for (uint32_t e = 0; e < count; ++e) {
    for (uint32_t c = 0; c < 3; ++c) out[e][c] = to_byte(stored[e][c] << more | p[e], mode.color_bits + more);
    out[e][3] = mode.alpha_bits == 0 ? 255 : to_byte(stored[e][3] << more | p[e], mode.alpha_bits + more);
  }
  return out;
}

uint8_t mix_bytes(uint32_t e0, uint32_t e1, uint32_t weight) {
  return static_cast<uint8_t>(((64 - weight) * e0 + weight * e1 + 32) >> 6);
}

}  // namespace

void decode_bc7(const std::byte* block, ByteTexels& texels) {
  Bits bits(block);
  const auto number = static_cast<uint32_t>(std::countr_zero(bits.low_word() | 256));
  if (number == 8) {  // reserved
    texels.fill(0);
    return;
  }
  const Bc7Mode& mode = kBc7Modes[number];
  bits.read(number + 1);
  const uint32_t partition = bits.read(mode.partition_bits);
  const uint32_t rotation = bits.read(mode.rotation_bits);
  const bool selection = bits.read(mode.selection_bits) != 0;
  const Endpoints endpoints = read_endpoints(bits, mode);
  const auto first = read_indices(bits, mode.index_bits, mode.subsets, partition);
  const auto second = read_indices(bits, mode.second_index_bits, mode.subsets, partition);
  const bool has_second = mode.second_index_bits > 0;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t subset = subset_of(mode.subsets, partition, i);
    const uint32_t weight1 = index_weight(mode.index_bits, first[i]);
    const uint32_t weight2 = has_second ? index_weight(mode.second_index_bits, second[i]) : weight1;
    const auto& e0 = endpoints[2 * subset];
    const auto& e1 = endpoints[2 * subset + 1];
    uint8_t* const texel = &texels[4 * i];
    for (uint32_t c = 0; c < 3; ++c) texel[c] = mix_bytes(e0[c], e1[c], selection ? weight2 : weight1);
    texel[3] = mix_bytes(e0[3], e1[3], selection ? weight1 : weight2);
    if (rotation > 0) std::swap(texel[3], texel[rotation - 1]);
  }
}

namespace {

/// The index in kBc6hModes of each mode number; 255: reserved.
constexpr auto kBc6hIndex = [] {
  std::array<uint8_t, 32> index{};
  index.fill(255);
  for (size_t m = 0; m < kBc6hModes.size(); ++m) index[kBc6hModes[m].number] = static_cast<uint8_t>(m);
  return index;
}();

Bc6hEndpoints read_bc6h_endpoints(Bits& bits, uint32_t index, bool has_sign) {
  const Bc6hMode& mode = kBc6hModes[index];
  std::array<int32_t, 12> stored{};
  for (uint32_t i = 0; i < kBc6hLayouts[index].count; ++i) {
    const uint32_t place = kBc6hLayouts[index].bits[i];
    stored[place / 16] |= static_cast<int32_t>(bits.read(1) << (place % 16));
  }
  Bc6hEndpoints out{};
  for (uint32_t c = 0; c < 3; ++c) {
    const int32_t base = has_sign ? with_sign(stored[c], mode.endpoint_bits) : stored[c];
    for (uint32_t e = 0; e < 2U * mode.subsets; ++e) {
      int32_t value = stored[3 * e + c];
      if (e == 0) {
        value = base;
      } else if (mode.transformed) {
        value = base + with_sign(value, mode.delta_bits[c]);
        value = has_sign ? with_sign(value, mode.endpoint_bits) : value & ((1 << mode.endpoint_bits) - 1);
      } else if (has_sign) {
        value = with_sign(value, mode.endpoint_bits);
      }
      out[e][c] = expand_endpoint(value, mode.endpoint_bits, has_sign);
    }
  }
  return out;
}

}  // namespace

void decode_bc6h(bool has_sign, const std::byte* block, FloatTexels& texels) {
  Bits bits(block);
  uint32_t number = bits.read(2);
  if (number >= 2) number |= bits.read(3) << 2;
  for (uint32_t i = 0; i < 64; ++i) texels[i] = i % 4 == 3 ? 1.0F : 0.0F;
  if (kBc6hIndex[number] == 255) return;
  const Bc6hMode& mode = kBc6hModes[kBc6hIndex[number]];
  const Bc6hEndpoints endpoints = read_bc6h_endpoints(bits, kBc6hIndex[number], has_sign);
  const uint32_t partition = mode.subsets == 2 ? bits.read(5) : 0;
  const uint32_t index_bits = mode.subsets == 2 ? 3 : 4;
  const auto indices = read_indices(bits, index_bits, mode.subsets, partition);
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t subset = subset_of(mode.subsets, partition, i);
    const auto weight = static_cast<int32_t>(index_weight(index_bits, indices[i]));
    for (uint32_t c = 0; c < 3; ++c) {
      const int32_t e0 = endpoints[2 * subset][c];
      const int32_t e1 = endpoints[2 * subset + 1][c];
      const uint16_t half = finish_bc6h(((64 - weight) * e0 + weight * e1 + 32) >> 6, has_sign);
      texels[4 * i + c] = decode_half(half);
    }
  }
}

}  // namespace onepass::blocks
