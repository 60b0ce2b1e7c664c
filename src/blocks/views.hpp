// views.hpp: checks of the views that compression and decompression take. Errors: kInvalidArgument.
#pragma once

#include <string>

#include "cpu/views.hpp"
#include "onepass/blocks.hpp"

namespace onepass::blocks {

/// Checks the format, the size and the number of slices. `what` names the view in the message.
Result<void> check_shape(const std::string& what, BlockFormat format, Extent size, uint32_t slices);

/// Checks a view of blocks by itself.
Result<void> check_blocks(const std::string& what, const BlockView& view);

/// Checks a view of texels against checked blocks of the same size.
Result<void> check_texels(const std::string& what, const ImageView& view, const BlockView& blocks);

/// Is a value v of this format stored as (v + 1) / 2 in UNORM and sRGB formats? Of signed blocks, as normal maps do it.
constexpr bool maps_sign(const BlockFormatInfo& blocks, const FormatInfo& texels) {
  return blocks.has_sign && blocks.type == ChannelType::kUnorm && texels.type != ChannelType::kFloat;
}

}  // namespace onepass::blocks
