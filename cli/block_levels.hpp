// block_levels.hpp: levels as blocks for DDS and KTX2 files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine.hpp"
#include "names.hpp"
#include "onepass/blocks.hpp"

namespace onepass::cli {

/// Levels in blocks, finest first.
struct BlockLevels {
  std::vector<BlockImage> levels;
  std::vector<std::string> warnings;
  EngineReport engine;  ///< What compressed them; neither path nor bytes.
};

/// The format of `block` for levels of `format`: sRGB if that is, ASTC of floats for floats, BC1 with alpha if
/// `has_alpha`.
[[nodiscard]] BlockFormat block_format_for(Block block, Format format, bool has_alpha);

/// Compresses all levels: on the device of `engine`, if it has one, the quality is kFast, and the format is one of
/// vulkan::BlockCompressor; else on the CPU.
/// Errors: those of cpu::compress() and, with a device that the user asked for, of vulkan::compress_levels().
[[nodiscard]] Result<BlockLevels> compress_levels(std::span<const ImageView> levels, BlockFormat format,
                                                  const BlockOptions& options, uint32_t threads,
                                                  const EngineChoice& engine = {});

}  // namespace onepass::cli
