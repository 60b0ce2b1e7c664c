// block_views.hpp: views of blocks in C as those of C++, inline: both libraries have functions that take them.
#pragma once

#include "c_api/abi.hpp"
#include "onepass/blocks.hpp"

namespace onepass::c_api {

/// A view of blocks. Strides of 0 are those of blocks without gaps.
template <typename View, typename Given>
Result<View> blocks_of(const char* name, const Given* given) {
  if (auto there = require(given, name); !there) return there.error();
  View view{given->data,
            static_cast<BlockFormat>(given->format),
            {given->size.width, given->size.height},
            given->slices == 0 ? 1 : given->slices,
            given->row_stride,
            given->slice_stride};
  const Extent count = size_in_blocks(view.format, view.size);
  if (view.row_stride == 0) view.row_stride = size_t{count.width} * block_format_info(view.format).bytes_per_block;
  if (view.slice_stride == 0) view.slice_stride = view.row_stride * count.height;
  return view;
}

}  // namespace onepass::c_api
