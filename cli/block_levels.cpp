// block_levels.cpp: compresses levels to blocks, in the format that --block and the levels decide.
#include "block_levels.hpp"

#include <fmt/core.h>

#include "onepass/vulkan/blocks.hpp"

namespace onepass::cli {

namespace {

/// Blocks of floats for floats, else UNORM or sRGB.
BlockFormat astc_for(Block block, ChannelType type) {
  const auto size = static_cast<uint32_t>(block) - static_cast<uint32_t>(Block::kAstc4x4);
  if (type == ChannelType::kFloat) {
    return static_cast<BlockFormat>(static_cast<uint32_t>(BlockFormat::kAstc4x4Sfloat) + size);
  }
  return static_cast<BlockFormat>(static_cast<uint32_t>(BlockFormat::kAstc4x4Unorm) + 2 * size +
                                  (type == ChannelType::kSrgb ? 1 : 0));
}

Result<EngineReport> compress_on_cpu(std::span<const ImageView> levels, std::span<const MutableBlockView> blocks,
                                     const BlockOptions& options, uint32_t threads) {
  for (size_t n = 0; n < levels.size(); ++n) {
    if (auto done = cpu::compress(levels[n], blocks[n], options, {.threads = threads}); !done) return done.error();
  }
  return EngineReport();
}

Result<EngineReport> compress_on_vulkan(const vulkan::Device& device, std::span<const ImageView> levels,
                                        std::span<const MutableBlockView> blocks,
                                        const BlockCompressorOptions& options) {
  const auto done = vulkan::compress_levels(device, options, levels, blocks);
  if (!done) return done.error();
  EngineReport report;
  report.dispatches = 1;
  report.gpu_microseconds = done->gpu_microseconds;
  return report;
}

}  // namespace

BlockFormat block_format_for(Block block, Format format, bool has_alpha) {
  const ChannelType type = format_info(format).type;
  const bool srgb = type == ChannelType::kSrgb;
  if (block >= Block::kAstc4x4) return astc_for(block, type);
  switch (block) {
    case Block::kBc1:
      if (has_alpha) return srgb ? BlockFormat::kBc1RgbaSrgb : BlockFormat::kBc1RgbaUnorm;
      return srgb ? BlockFormat::kBc1RgbSrgb : BlockFormat::kBc1RgbUnorm;
    case Block::kBc3:
      return srgb ? BlockFormat::kBc3Srgb : BlockFormat::kBc3Unorm;
    case Block::kBc4:
      return BlockFormat::kBc4Unorm;
    case Block::kBc4Signed:
      return BlockFormat::kBc4Snorm;
    case Block::kBc5:
      return BlockFormat::kBc5Unorm;
    case Block::kBc5Signed:
      return BlockFormat::kBc5Snorm;
    case Block::kBc6h:
      return BlockFormat::kBc6hUfloat;
    case Block::kBc6hSigned:
      return BlockFormat::kBc6hSfloat;
    case Block::kBc7:
      return srgb ? BlockFormat::kBc7Srgb : BlockFormat::kBc7Unorm;
    default:
      break;
  }
  return BlockFormat::kUndefined;
}

Result<BlockLevels> compress_levels(std::span<const ImageView> levels, BlockFormat format, const BlockOptions& options,
                                    uint32_t threads, const EngineChoice& engine) {
  BlockLevels out;
  std::vector<MutableBlockView> views;
  for (const ImageView& level : levels) {
    auto blocks = BlockImage::create(format, level.size, level.slices);
    if (!blocks) return blocks.error();
    out.levels.push_back(std::move(*blocks));
  }
  for (BlockImage& level : out.levels) views.push_back(level.view());
  const BlockCompressorOptions on_device{.size = levels.front().size,
                                         .slices = levels.front().slices,
                                         .levels = static_cast<uint32_t>(levels.size()),
                                         .source = levels.front().format,
                                         .blocks = format,
                                         .metric = options.metric,
                                         .alpha = options.alpha,
                                         .alpha_threshold = options.alpha_threshold};
  const bool fits = options.quality == BlockQuality::kFast && plan_block_compressor(on_device);
  const EngineChoice cpu;
  auto done = (fits ? engine : cpu).with_fallback([&](const vulkan::Device* device) {
    return device != nullptr ? compress_on_vulkan(*device, levels, views, on_device)
                             : compress_on_cpu(levels, views, options, threads);
  });
  if (!done) return done.error();
  out.engine = std::move(*done);
  const bool linear = block_format_info(format).type != ChannelType::kSrgb;
  if (linear && format_info(levels.front().format).type == ChannelType::kSrgb) {
    out.warnings.push_back(fmt::format(
        "{} has no sRGB form: colours are stored as linear light; --color linear keeps the values of masks and normals",
        block_format_info(format).name));
  }
  return out;
}

}  // namespace onepass::cli
