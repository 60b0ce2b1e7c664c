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

constexpr std::array<BlockFormatInfo, 16> kBlockFormats = {{
    {BlockFormat::kBc1RgbUnorm, "bc1_rgb_unorm", 3, 8, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc1RgbSrgb, "bc1_rgb_srgb", 3, 8, kSrgb, false, Format::kRGBA8Srgb},
    {BlockFormat::kBc1RgbaUnorm, "bc1_rgba_unorm", 4, 8, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc1RgbaSrgb, "bc1_rgba_srgb", 4, 8, kSrgb, false, Format::kRGBA8Srgb},
    {BlockFormat::kBc2Unorm, "bc2_unorm", 4, 16, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc2Srgb, "bc2_srgb", 4, 16, kSrgb, false, Format::kRGBA8Srgb},
    {BlockFormat::kBc3Unorm, "bc3_unorm", 4, 16, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc3Srgb, "bc3_srgb", 4, 16, kSrgb, false, Format::kRGBA8Srgb},
    {BlockFormat::kBc4Unorm, "bc4_unorm", 1, 8, kUnorm, false, Format::kR8Unorm},
    {BlockFormat::kBc4Snorm, "bc4_snorm", 1, 8, kUnorm, true, Format::kR16Sfloat},
    {BlockFormat::kBc5Unorm, "bc5_unorm", 2, 16, kUnorm, false, Format::kRG8Unorm},
    {BlockFormat::kBc5Snorm, "bc5_snorm", 2, 16, kUnorm, true, Format::kRG16Sfloat},
    {BlockFormat::kBc6hUfloat, "bc6h_ufloat", 3, 16, kFloat, false, Format::kRGBA16Sfloat},
    {BlockFormat::kBc6hSfloat, "bc6h_sfloat", 3, 16, kFloat, true, Format::kRGBA16Sfloat},
    {BlockFormat::kBc7Unorm, "bc7_unorm", 4, 16, kUnorm, false, Format::kRGBA8Unorm},
    {BlockFormat::kBc7Srgb, "bc7_srgb", 4, 16, kSrgb, false, Format::kRGBA8Srgb},
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
  const Extent count = size_in_blocks(size);
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
