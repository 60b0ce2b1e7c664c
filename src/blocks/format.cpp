// format.cpp: the table of block formats, and BlockImage, which owns its blocks.
#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <string>

#include "blocks/views.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"
#include "onepass/blocks.hpp"

namespace onepass {
namespace {

using enum ChannelType;

constexpr Extent kFour{4, 4};  // the size of all blocks but those of ASTC

constexpr BlockFormatInfo astc(BlockFormat format, std::string_view name, uint32_t width, uint32_t height) {
  if (name.ends_with("sfloat")) return {format, name, 4, {width, height}, 16, kFloat, false, Format::kRGBA16Sfloat};
  const bool srgb = name.ends_with("srgb");
  return {format, name,
          4,      {width, height},
          16,     srgb ? kSrgb : kUnorm,
          false,  srgb ? Format::kRGBA8Srgb : Format::kRGBA8Unorm};
}

constexpr std::array<BlockFormatInfo, 58> kBlockFormats = {{
    {BlockFormat::kBc1RgbUnorm, "bc1_rgb_unorm", 3, kFour, 8, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc1RgbSrgb, "bc1_rgb_srgb", 3, kFour, 8, kSrgb, false, Format::kRGBA8Srgb},
    {BlockFormat::kBc1RgbaUnorm, "bc1_rgba_unorm", 4, kFour, 8, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc1RgbaSrgb, "bc1_rgba_srgb", 4, kFour, 8, kSrgb, false, Format::kRGBA8Srgb},
    {BlockFormat::kBc2Unorm, "bc2_unorm", 4, kFour, 16, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc2Srgb, "bc2_srgb", 4, kFour, 16, kSrgb, false, Format::kRGBA8Srgb},
    {BlockFormat::kBc3Unorm, "bc3_unorm", 4, kFour, 16, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc3Srgb, "bc3_srgb", 4, kFour, 16, kSrgb, false, Format::kRGBA8Srgb},
    {BlockFormat::kBc4Unorm, "bc4_unorm", 1, kFour, 8, kUnorm, false, Format::kR8Unorm},
    {BlockFormat::kBc4Snorm, "bc4_snorm", 1, kFour, 8, kUnorm, true, Format::kR16Sfloat},
    {BlockFormat::kBc5Unorm, "bc5_unorm", 2, kFour, 16, kUnorm, false, Format::kRG8Unorm},
    {BlockFormat::kBc5Snorm, "bc5_snorm", 2, kFour, 16, kUnorm, true, Format::kRG16Sfloat},
    {BlockFormat::kBc6hUfloat, "bc6h_ufloat", 3, kFour, 16, kFloat, false, Format::kRGBA16Sfloat},
    {BlockFormat::kBc6hSfloat, "bc6h_sfloat", 3, kFour, 16, kFloat, true, Format::kRGBA16Sfloat},
    {BlockFormat::kBc7Unorm, "bc7_unorm", 4, kFour, 16, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc7Srgb, "bc7_srgb", 4, kFour, 16, kSrgb, false, Format::kRGBA8Srgb},
    astc(BlockFormat::kAstc4x4Unorm, "astc_4x4_unorm", 4, 4),
    astc(BlockFormat::kAstc4x4Srgb, "astc_4x4_srgb", 4, 4),
    astc(BlockFormat::kAstc5x4Unorm, "astc_5x4_unorm", 5, 4),
    astc(BlockFormat::kAstc5x4Srgb, "astc_5x4_srgb", 5, 4),
    astc(BlockFormat::kAstc5x5Unorm, "astc_5x5_unorm", 5, 5),
    astc(BlockFormat::kAstc5x5Srgb, "astc_5x5_srgb", 5, 5),
    astc(BlockFormat::kAstc6x5Unorm, "astc_6x5_unorm", 6, 5),
    astc(BlockFormat::kAstc6x5Srgb, "astc_6x5_srgb", 6, 5),
    astc(BlockFormat::kAstc6x6Unorm, "astc_6x6_unorm", 6, 6),
    astc(BlockFormat::kAstc6x6Srgb, "astc_6x6_srgb", 6, 6),
    astc(BlockFormat::kAstc8x5Unorm, "astc_8x5_unorm", 8, 5),
    astc(BlockFormat::kAstc8x5Srgb, "astc_8x5_srgb", 8, 5),
    astc(BlockFormat::kAstc8x6Unorm, "astc_8x6_unorm", 8, 6),
    astc(BlockFormat::kAstc8x6Srgb, "astc_8x6_srgb", 8, 6),
    astc(BlockFormat::kAstc8x8Unorm, "astc_8x8_unorm", 8, 8),
    astc(BlockFormat::kAstc8x8Srgb, "astc_8x8_srgb", 8, 8),
    astc(BlockFormat::kAstc10x5Unorm, "astc_10x5_unorm", 10, 5),
    astc(BlockFormat::kAstc10x5Srgb, "astc_10x5_srgb", 10, 5),
    astc(BlockFormat::kAstc10x6Unorm, "astc_10x6_unorm", 10, 6),
    astc(BlockFormat::kAstc10x6Srgb, "astc_10x6_srgb", 10, 6),
    astc(BlockFormat::kAstc10x8Unorm, "astc_10x8_unorm", 10, 8),
    astc(BlockFormat::kAstc10x8Srgb, "astc_10x8_srgb", 10, 8),
    astc(BlockFormat::kAstc10x10Unorm, "astc_10x10_unorm", 10, 10),
    astc(BlockFormat::kAstc10x10Srgb, "astc_10x10_srgb", 10, 10),
    astc(BlockFormat::kAstc12x10Unorm, "astc_12x10_unorm", 12, 10),
    astc(BlockFormat::kAstc12x10Srgb, "astc_12x10_srgb", 12, 10),
    astc(BlockFormat::kAstc12x12Unorm, "astc_12x12_unorm", 12, 12),
    astc(BlockFormat::kAstc12x12Srgb, "astc_12x12_srgb", 12, 12),
    astc(BlockFormat::kAstc4x4Sfloat, "astc_4x4_sfloat", 4, 4),
    astc(BlockFormat::kAstc5x4Sfloat, "astc_5x4_sfloat", 5, 4),
    astc(BlockFormat::kAstc5x5Sfloat, "astc_5x5_sfloat", 5, 5),
    astc(BlockFormat::kAstc6x5Sfloat, "astc_6x5_sfloat", 6, 5),
    astc(BlockFormat::kAstc6x6Sfloat, "astc_6x6_sfloat", 6, 6),
    astc(BlockFormat::kAstc8x5Sfloat, "astc_8x5_sfloat", 8, 5),
    astc(BlockFormat::kAstc8x6Sfloat, "astc_8x6_sfloat", 8, 6),
    astc(BlockFormat::kAstc8x8Sfloat, "astc_8x8_sfloat", 8, 8),
    astc(BlockFormat::kAstc10x5Sfloat, "astc_10x5_sfloat", 10, 5),
    astc(BlockFormat::kAstc10x6Sfloat, "astc_10x6_sfloat", 10, 6),
    astc(BlockFormat::kAstc10x8Sfloat, "astc_10x8_sfloat", 10, 8),
    astc(BlockFormat::kAstc10x10Sfloat, "astc_10x10_sfloat", 10, 10),
    astc(BlockFormat::kAstc12x10Sfloat, "astc_12x10_sfloat", 12, 10),
    astc(BlockFormat::kAstc12x12Sfloat, "astc_12x12_sfloat", 12, 12),
}};

constexpr size_t kBlockAlignment = 64;  // bytes of a cache line

}  // namespace

std::span<const BlockFormatInfo> all_block_formats() { return kBlockFormats; }

const BlockFormatInfo& block_format_info(BlockFormat format) {
  static constexpr BlockFormatInfo kUnknown;
  const auto* const found = std::find_if(kBlockFormats.begin(), kBlockFormats.end(),
                                         [&](const BlockFormatInfo& info) { return info.format == format; });
  return found == kBlockFormats.end() ? kUnknown : *found;
}

Result<BlockImage> BlockImage::create(BlockFormat format, Extent size, uint32_t slices) {
  const BlockFormatInfo& info = block_format_info(format);
  if (auto fine = blocks::check_shape("blocks", format, size, slices); !fine) return fine.error();
  const Extent count = size_in_blocks(format, size);
  // At most 2^14 * 2^14 * 2^4 bytes a slice: no overflow before the slices.
  const uint64_t row_stride = uint64_t{count.width} * info.bytes_per_block;
  const uint64_t slice_stride = row_stride * count.height;
  constexpr uint64_t kMost = std::numeric_limits<size_t>::max() / 2;
  void* data = nullptr;
  if (slice_stride <= kMost / slices) {
    data = ::operator new (round_up(static_cast<size_t>(slice_stride) * slices, kBlockAlignment),
                           std::align_val_t{kBlockAlignment}, std::nothrow);
  }
  if (data == nullptr) {
    return Error{ErrorCode::kOutOfMemory,
                 "no memory for blocks of size " + size_text(size) + ", slices " + std::to_string(slices) + " in " +
                     std::string(info.name),
                 ""};
  }
  BlockImage image;
  image.view_ = {data, format, size, slices, static_cast<size_t>(row_stride), static_cast<size_t>(slice_stride)};
  return image;
}

BlockImage::~BlockImage() { ::operator delete (view_.data, std::align_val_t{kBlockAlignment}); }

namespace blocks {

Result<void> check_texels(const std::string& what, const ImageView& view, const BlockView& blocks) {
  const FormatInfo& info = texel_info(view.format);
  if (info.channels == 0) {
    return invalid(what + ": unknown format " + std::to_string(static_cast<uint32_t>(view.format)));
  }
  if (info.depth || info.type == ChannelType::kUint) {
    return invalid(what + ": format " + std::string(info.name) + " has no colours that blocks could hold");
  }
  return cpu::check_view(what, view, view.format, blocks.size, blocks.slices);
}

}  // namespace blocks
}  // namespace onepass
