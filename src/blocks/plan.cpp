// plan.cpp: plan_block_compressor: checks options of vulkan::BlockCompressor, and lays out the blocks in a buffer.
#include <algorithm>
#include <bit>
#include <string>

#include "blocks/views.hpp"
#include "image/error.hpp"
#include "onepass/blocks.hpp"

namespace onepass {
namespace {

Result<void> check_shape(const BlockCompressorOptions& options) {
  const auto [width, height] = options.size;
  if (width == 0 || height == 0 || width > blocks::kMostTexels || height > blocks::kMostTexels) {
    return invalid("size: " + size_text(options.size) + ", not 1 to 65535 per axis");
  }
  if (options.slices == 0) return invalid("slices: 0");
  const auto most = static_cast<uint32_t>(std::bit_width(std::max(width, height)));
  if (options.levels > most) {
    return invalid("levels: " + std::to_string(options.levels) + ", but " + size_text(options.size) + " has " +
                   std::to_string(most));
  }
  return {};
}

Result<void> check_formats(const BlockCompressorOptions& options) {
  const FormatInfo& source = texel_info(options.source);
  if (source.channels == 0) {
    return invalid("source: unknown format " + std::to_string(static_cast<uint32_t>(options.source)));
  }
  if (source.depth || source.type == ChannelType::kUint) {
    return invalid("source: format " + std::string(source.name) + " has no colours that blocks could hold");
  }
  if (is_row_format(options.source)) {
    return invalid("source: format " + std::string(source.name) + " is for images in host memory");
  }
  const BlockFormatInfo& info = block_format_info(options.blocks);
  if (info.channels == 0) {
    return invalid("blocks: unknown format " + std::to_string(static_cast<uint32_t>(options.blocks)));
  }
  if (options.blocks == BlockFormat::kBc2Unorm || options.blocks == BlockFormat::kBc2Srgb) {
    return invalid("blocks: format " + std::string(info.name) + " can only be decompressed");
  }
  if (is_astc(options.blocks)) {
    return invalid("blocks: format " + std::string(info.name) + " is compressed on the CPU only");
  }
  return {};
}

}  // namespace

Result<BlockCompressorPlan> plan_block_compressor(const BlockCompressorOptions& options) {
  auto checked = check_shape(options);
  if (checked) checked = check_formats(options);
  if (checked) checked = check_enumerators("metric", options.metric, "alpha", options.alpha);
  if (!checked) return checked.error();
  if (!(options.alpha_threshold >= 0 && options.alpha_threshold <= 1)) {
    return invalid("alpha_threshold: " + std::to_string(options.alpha_threshold) + " is not 0 to 1");
  }
  const auto all = static_cast<uint32_t>(std::bit_width(std::max(options.size.width, options.size.height)));
  BlockCompressorPlan plan;
  for (uint32_t n = 0; n < (options.levels == 0 ? all : options.levels); ++n) {
    BlockLevel level{.size = {std::max(1U, options.size.width >> n), std::max(1U, options.size.height >> n)},
                     .offset = plan.bytes};
    level.blocks = size_in_blocks(options.blocks, level.size);
    level.slice_bytes =
        uint64_t{level.blocks.width} * level.blocks.height * block_format_info(options.blocks).bytes_per_block;
    plan.bytes += level.slice_bytes * options.slices;
    plan.bytes_read +=
        uint64_t{level.size.width} * level.size.height * options.slices * format_info(options.source).bytes_per_texel;
    plan.levels.push_back(level);
  }
  return plan;
}

}  // namespace onepass
