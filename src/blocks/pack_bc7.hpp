// pack_bc7.hpp: the bits of a block of BC7.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onepass::blocks {

/// The fields of a block, before the order of endpoints is chosen so that anchors have a highest bit of 0.
struct Bc7Block {
  uint32_t mode = 0;
  uint32_t partition = 0;
  uint32_t rotation = 0;
  bool colors_second = false;  ///< Mode 4: colours have the secondary indices, of 3 bits.
  uint8_t ends[6][4] = {};     ///< Endpoint 2 s + e of subset s; a P-bit is the lowest bit.
  uint8_t index[16] = {};      ///< Of colours; of all channels in modes without a second index.
  uint8_t alpha_index[16] = {};
};

/// Writes 16 bytes.
void pack_bc7(const Bc7Block& block, std::byte* out);

}  // namespace onepass::blocks
