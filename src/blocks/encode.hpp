// encode.hpp: encoders of single formats. One SIMD lane works on one block, so that every target performs the same
// operations on a block in the same order; that of BC6H is scalar.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "onepass/blocks.hpp"

namespace onepass::blocks {

/// The most blocks that an encoder takes at once: the lanes of the widest vector.
inline constexpr uint32_t kMostLanes = 16;

inline constexpr std::array<float, 3> kLuma = {0.2126F, 0.7152F, 0.0722F};  // BT.709

/// What all blocks of a call share.
struct EncodeSettings {
  BlockQuality quality = BlockQuality::kNormal;
  std::array<float, 4> weights{1, 1, 1, 1};  ///< Of the squared differences of R, G, B and A.
  bool weighted_by_alpha = false;            ///< Differences of colours count by alpha.
  bool transparent = false;                  ///< BC1: texels with alpha below `alpha_threshold` become transparent.
  float alpha_threshold = 0;                 ///< 0 to 255.
};

/// Blocks of four channels of 8 bits. Texel i of block n is texels[16 * n + i], red in the lowest byte.
struct ColorBlocks {
  const uint32_t* texels = nullptr;
  const uint16_t* inside = nullptr;  ///< Of each block: bit i says whether texel i is in the image.
  size_t count = 0;
};

/// Blocks of one channel: 0 to 255, or -127 to 127 of signed formats. Texel i of block n is values[16 * n + i].
struct ChannelBlocks {
  const float* values = nullptr;
  const uint16_t* inside = nullptr;
  size_t count = 0;
};

/// Writes the 8 bytes of the colours of block n to out + n * stride. `four_colors`: never three and black, for BC3.
void encode_bc1(const ColorBlocks& blocks, const EncodeSettings& settings, bool four_colors, std::byte* out,
                size_t stride);

/// Writes the 8 bytes of block n to out + n * stride.
void encode_bc4(const ChannelBlocks& blocks, BlockQuality quality, bool has_sign, std::byte* out, size_t stride);

/// Writes 16 bytes per block. Texel i of block n has codes[c][16 * n + i] in channel c: the bits of a half float as an
/// integer, negative for negative halves; 0 to 31743, or -31743 to 31743 with sign.
void encode_bc6h(const std::array<const float*, 3>& codes, const uint16_t* inside, size_t count,
                 const EncodeSettings& settings, bool has_sign, std::byte* out);

/// Writes 16 bytes per block.
void encode_bc7(const ColorBlocks& blocks, const EncodeSettings& settings, std::byte* out);

}  // namespace onepass::blocks
