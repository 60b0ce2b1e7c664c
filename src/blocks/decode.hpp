// decode.hpp: decoders of single blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "onepass/blocks.hpp"

namespace onepass::blocks {

/// 16 texels of 4 channels, row by row.
using ByteTexels = std::array<uint8_t, 64>;
using FloatTexels = std::array<float, 64>;

/// Does decode_bytes() decode this format, or decode_floats()?
constexpr bool has_byte_texels(BlockFormat format) {
  return format <= BlockFormat::kBc3Srgb || format == BlockFormat::kBc7Unorm || format == BlockFormat::kBc7Srgb;
}

/// Decodes a block of BC1, BC2, BC3 or BC7 to stored values: sRGB stays encoded.
void decode_bytes(BlockFormat format, const std::byte* block, ByteTexels& texels);

/// Decodes a block of BC4, BC5 or BC6H. Missing channels are 0, a missing alpha is 1.
void decode_floats(BlockFormat format, const std::byte* block, FloatTexels& texels);

// The formats of 128 bits with modes, in decode_bptc.cpp.
void decode_bc7(const std::byte* block, ByteTexels& texels);
void decode_bc6h(bool has_sign, const std::byte* block, FloatTexels& texels);

}  // namespace onepass::blocks
