// views.hpp: checks of the views that compression, decompression and files take. Errors: kInvalidArgument. Those of
// blocks are inline: the library of files, which may be a shared library of its own, has them, too.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/views.hpp"
#include "image/error.hpp"
#include "onepass/blocks.hpp"

namespace onepass::blocks {

inline constexpr uint32_t kMostTexels = 65535;  ///< Per axis, as of all images.

/// Checks the format, the size and the number of slices. `what` names the view in the message.
inline Result<void> check_shape(const std::string& what, BlockFormat format, Extent size, uint32_t slices) {
  if (block_format_info(format).channels == 0) {
    return invalid(what + ": unknown format " + std::to_string(static_cast<uint32_t>(format)));
  }
  if (size.width == 0 || size.height == 0 || size.width > kMostTexels || size.height > kMostTexels) {
    return invalid(what + ": size " + size_text(size) + ", not 1 to 65535 per axis");
  }
  if (slices == 0) return invalid(what + ": slices 0");
  return {};
}

/// Checks a view of blocks by itself.
inline Result<void> check_blocks(const std::string& what, const BlockView& view) {
  if (auto fine = check_shape(what, view.format, view.size, view.slices); !fine) return fine;
  if (view.data == nullptr) return invalid(what + ": data is null");
  const Extent count = size_in_blocks(view.format, view.size);
  const size_t row = size_t{count.width} * block_format_info(view.format).bytes_per_block;
  return cpu::check_strides(what, view.row_stride, view.slice_stride, row, count.height, view.slices, " of blocks");
}

/// Checks a view of texels against checked blocks of the same size.
Result<void> check_texels(const std::string& what, const ImageView& view, const BlockView& blocks);

/// Is a value v of this format stored as (v + 1) / 2 in UNORM and sRGB formats? Of signed blocks, as normal maps do it.
constexpr bool maps_sign(const BlockFormatInfo& blocks, const FormatInfo& texels) {
  return blocks.has_sign && blocks.type == ChannelType::kUnorm && texels.type != ChannelType::kFloat;
}

}  // namespace onepass::blocks
