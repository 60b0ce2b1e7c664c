// decode.cpp: decoders of BC1 to BC5 by their definition in exact arithmetic: the interpolated colour is a fraction,
// which is rounded once.
//
// Source: Khronos Data Format Specification 1.3, sections "S3TC" and "RGTC".
#include "blocks/decode.hpp"

#include <algorithm>
#include <cstring>

namespace onepass::blocks {
namespace {

/// A palette entry: (first * e0 + second * e1) / (first + second).
struct Mix {
  uint32_t first;
  uint32_t second;
};

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// The mix of two stored values of 0 to `most`, as an 8-bit code, rounded to nearest.
uint8_t mixed_code(Mix mix, uint32_t e0, uint32_t e1, uint32_t most) {
  const uint32_t denominator = most * (mix.first + mix.second);
  return static_cast<uint8_t>((510 * (mix.first * e0 + mix.second * e1) + denominator) / (2 * denominator));
}

std::array<uint32_t, 3> unpack_565(uint32_t color) { return {color >> 11, color >> 5 & 63, color & 31}; }

enum class Bc1Kind {
  kOpaque,       ///< Three colours and black.
  kTransparent,  ///< Three colours and transparent black.
  kFourColors,   ///< Whatever the order of the endpoints: in BC2 and BC3.
};

void decode_colors(const std::byte* block, Bc1Kind kind, ByteTexels& texels) {
  const uint32_t color0 = load<uint16_t>(block);
  const uint32_t color1 = load<uint16_t>(block + 2);
  const auto codes = load<uint32_t>(block + 4);
  const auto e0 = unpack_565(color0);
  const auto e1 = unpack_565(color1);
  const bool four = kind == Bc1Kind::kFourColors || color0 > color1;
  const std::array<Mix, 4> mixes = {{{1, 0}, {0, 1}, four ? Mix{2, 1} : Mix{1, 1}, {1, 2}}};
  std::array<std::array<uint8_t, 4>, 4> palette{};
  for (uint32_t k = 0; k < 4; ++k) {
    if (k == 3 && !four) {
      palette[k][3] = kind == Bc1Kind::kTransparent ? 0 : 255;
      continue;
    }
    for (uint32_t c = 0; c < 3; ++c) palette[k][c] = mixed_code(mixes[k], e0[c], e1[c], c == 1 ? 63 : 31);
    palette[k][3] = 255;
  }
  for (uint32_t i = 0; i < 16; ++i) std::memcpy(&texels[4 * i], palette[codes >> (2 * i) & 3].data(), 4);
}

/// The palette of a block of one channel, as mixes; entries 6 and 7 of `two_ends` are the lowest and the highest value.
std::array<Mix, 8> channel_mixes(bool two_ends) {
  std::array<Mix, 8> mixes = {{{1, 0}, {0, 1}}};
  const uint32_t steps = two_ends ? 5 : 7;
  for (uint32_t k = 1; k < steps; ++k) mixes[k + 1] = {steps - k, k};
  return mixes;
}

/// The code of each texel: 3 bits.
std::array<uint8_t, 16> channel_codes(const std::byte* block) {
  const uint64_t bits = load<uint64_t>(block) >> 16;
  std::array<uint8_t, 16> codes;
  for (uint32_t i = 0; i < 16; ++i) codes[i] = bits >> (3 * i) & 7;
  return codes;
}

/// The alpha of BC3, as 8-bit codes.
void decode_alpha(const std::byte* block, ByteTexels& texels) {
  const auto e0 = load<uint8_t>(block);
  const auto e1 = load<uint8_t>(block + 1);
  const bool two_ends = e0 <= e1;
  const auto mixes = channel_mixes(two_ends);
  std::array<uint8_t, 8> palette;
  for (uint32_t k = 0; k < 8; ++k) {
    const bool end = two_ends && k >= 6;
    palette[k] = end ? (k == 7 ? 255 : 0) : mixed_code(mixes[k], e0, e1, 255);
  }
  const auto codes = channel_codes(block);
  for (uint32_t i = 0; i < 16; ++i) texels[4 * i + 3] = palette[codes[i]];
}

/// A channel of BC4 or BC5. T: uint8_t, or int8_t of signed formats, where -128 means the same as -127.
template <typename T>
void decode_channel(const std::byte* block, uint32_t channel, FloatTexels& texels) {
  constexpr bool kHasSign = std::is_signed_v<T>;
  constexpr int kMost = kHasSign ? 127 : 255;
  const int stored0 = load<T>(block);
  const int stored1 = load<T>(block + 1);
  const int e0 = std::max(stored0, -kMost);
  const int e1 = std::max(stored1, -kMost);
  const bool two_ends = stored0 <= stored1;
  const auto mixes = channel_mixes(two_ends);
  std::array<float, 8> palette;
  for (uint32_t k = 0; k < 8; ++k) {
    const auto [first, second] = mixes[k];
    const int sum = static_cast<int>(first) * e0 + static_cast<int>(second) * e1;
    const auto steps = static_cast<int>(first + second);
    palette[k] = two_ends && k >= 6 ? (k == 7     ? 1.0F
                                       : kHasSign ? -1.0F
                                                  : 0.0F)
                                    : static_cast<float>(static_cast<double>(sum) / (steps * kMost));
  }
  const auto codes = channel_codes(block);
  for (uint32_t i = 0; i < 16; ++i) texels[4 * i + channel] = palette[codes[i]];
}

}  // namespace

void decode_bytes(BlockFormat format, const std::byte* block, ByteTexels& texels) {
  switch (format) {
    case BlockFormat::kBc1RgbUnorm:
    case BlockFormat::kBc1RgbSrgb:
      return decode_colors(block, Bc1Kind::kOpaque, texels);
    case BlockFormat::kBc1RgbaUnorm:
    case BlockFormat::kBc1RgbaSrgb:
      return decode_colors(block, Bc1Kind::kTransparent, texels);
    case BlockFormat::kBc2Unorm:
    case BlockFormat::kBc2Srgb: {
      decode_colors(block + 8, Bc1Kind::kFourColors, texels);
      const auto alpha = load<uint64_t>(block);
      for (uint32_t i = 0; i < 16; ++i) texels[4 * i + 3] = static_cast<uint8_t>(17 * (alpha >> (4 * i) & 15));
      return;
    }
    case BlockFormat::kBc3Unorm:
    case BlockFormat::kBc3Srgb:
      decode_colors(block + 8, Bc1Kind::kFourColors, texels);
      return decode_alpha(block, texels);
    default:
      return decode_bc7(block, texels);
  }
}

void decode_floats(BlockFormat format, const std::byte* block, FloatTexels& texels) {
  for (uint32_t i = 0; i < 64; ++i) texels[i] = i % 4 == 3 ? 1.0F : 0.0F;
  switch (format) {
    case BlockFormat::kBc4Unorm:
      return decode_channel<uint8_t>(block, 0, texels);
    case BlockFormat::kBc4Snorm:
      return decode_channel<int8_t>(block, 0, texels);
    case BlockFormat::kBc5Unorm:
      decode_channel<uint8_t>(block, 0, texels);
      return decode_channel<uint8_t>(block + 8, 1, texels);
    case BlockFormat::kBc5Snorm:
      decode_channel<int8_t>(block, 0, texels);
      return decode_channel<int8_t>(block + 8, 1, texels);
    default:
      return decode_bc6h(format == BlockFormat::kBc6hSfloat, block, texels);
  }
}

}  // namespace onepass::blocks
