// blocks_testing.hpp: random blocks, and what tests of block formats share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "onepass/blocks.hpp"

namespace onepass::testing {

/// `count` blocks of random bits. Of the formats with modes every mode is equally frequent; of the others every third
/// block has endpoints in ascending, descending and equal order.
inline std::vector<std::byte> random_blocks(BlockFormat format, size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const size_t bytes = block_format_info(format).bytes_per_block;
  std::vector<std::byte> blocks(bytes * count);
  for (std::byte& b : blocks) b = static_cast<std::byte>(random());
  for (size_t n = 0; n < count; ++n) {
    std::byte* const block = blocks.data() + n * bytes;
    const auto first = static_cast<uint32_t>(block[0]);
    if (format >= BlockFormat::kBc7Unorm) {
      const auto mode = static_cast<uint32_t>(n % 9);  // 8: reserved
      block[0] = static_cast<std::byte>(mode == 8 ? 0 : (first & ~((2U << mode) - 1)) | 1U << mode);
    } else if (format >= BlockFormat::kBc6hUfloat) {
      const auto mode = static_cast<uint32_t>(n % 32);  // four of them are reserved
      block[0] = static_cast<std::byte>((first & ~31U) | mode);
    } else {
      const size_t half = bytes - 8;  // the colours of BC2 and BC3
      if (n % 3 == 1) std::memcpy(block + half + 2, block + half, 2);
      if (n % 3 == 2) block[1] = block[0];  // one channel
    }
  }
  return blocks;
}

/// A view of blocks that lie next to each other.
inline BlockView tight_blocks(BlockFormat format, const std::vector<std::byte>& data, Extent size) {
  const Extent count = size_in_blocks(format, size);
  const size_t row = size_t{count.width} * block_format_info(format).bytes_per_block;
  return {data.data(), format, size, 1, row, row * count.height};
}

inline std::string name_of(BlockFormat format) { return std::string(block_format_info(format).name); }

}  // namespace onepass::testing
