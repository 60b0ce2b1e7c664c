// astc.hpp: blocks of ASTC, by astcenc. Without that library both functions return kUnsupported.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "onepass/blocks.hpp"

namespace onepass::blocks {

inline constexpr size_t kAstcBandTexels = size_t{1} << 20;  ///< Texels that pass through astcenc at once.

/// The memory that decompress_astc() takes on one thread, at most: the tables of astcenc 4.2, 32.63 MiB for every size
/// of blocks, a band of texels and of blocks, and a row of floats. Inline, for the readers of files.
inline uint64_t astc_decompression_bytes(BlockFormat format, Extent size) {
  constexpr uint64_t kTables = uint64_t{33} << 20;
  const BlockFormatInfo& info = block_format_info(format);
  const Extent count = size_in_blocks(format, size);
  const uint64_t row = uint64_t{size.width} * info.size.height;
  const uint64_t rows = std::min<uint64_t>(std::max<uint64_t>(1, kAstcBandTexels / row), count.height);
  const uint64_t texel_bytes = info.type == ChannelType::kFloat ? 8 : 4;
  return kTables + rows * (row * texel_bytes + uint64_t{count.width} * info.bytes_per_block) +
         uint64_t{16} * size.width;
}

/// cpu::compress() to a format of ASTC, with views and options that have been checked. Throws std::bad_alloc.
Result<void> compress_astc(const ImageView& source, const MutableBlockView& blocks, const BlockOptions& options,
                           uint32_t threads);

/// cpu::decompress() of a format of ASTC, with views that have been checked. Throws std::bad_alloc.
Result<void> decompress_astc(const BlockView& blocks, const MutableImageView& target, uint32_t threads);

}  // namespace onepass::blocks
