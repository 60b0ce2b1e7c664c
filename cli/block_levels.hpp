// block_levels.hpp: levels as blocks for DDS and KTX2 files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "names.hpp"
#include "onepass/blocks.hpp"

namespace onepass::cli {

/// Levels in blocks, finest first.
struct BlockLevels {
  std::vector<BlockImage> levels;
  std::vector<std::string> warnings;
};

/// The format of `block` for levels of `format`: sRGB if that is, ASTC of floats for floats, BC1 with alpha if
/// `has_alpha`.
[[nodiscard]] BlockFormat block_format_for(Block block, Format format, bool has_alpha);

/// Compresses all levels. Errors: those of cpu::compress().
[[nodiscard]] Result<BlockLevels> compress_levels(std::span<const ImageView> levels, BlockFormat format,
                                                  const BlockOptions& options, uint32_t threads);

}  // namespace onepass::cli
