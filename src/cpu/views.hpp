// views.hpp: checks the views that a caller passes against the options.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "image/error.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cpu {

/// Checks that rows of `row_bytes` bytes and slices of `rows` rows do not overlap, and that the distance from the first
/// to the last byte fits in ptrdiff_t: later arithmetic with pointers cannot overflow. `of` continues "row" in the
/// message: " of blocks"; `slice` names a slice there. Inline: the library of files, which may be a shared library of
/// its own, has it, too.
inline Result<void> check_strides(const std::string& what, size_t row_stride, size_t slice_stride, size_t row_bytes,
                                  uint32_t rows, uint32_t slices, const std::string& of = "",
                                  const std::string& slice = "slice") {
  constexpr size_t kMost = PTRDIFF_MAX;
  const auto stride = [&](const std::string& name, size_t value) {
    return what + ": " + name + " " + std::to_string(value);
  };
  if (row_stride < row_bytes) {
    return invalid(stride("row_stride", row_stride) + ", a row" + of + " has " + std::to_string(row_bytes) + " bytes");
  }
  if (row_stride > (kMost - row_bytes) / std::max(1U, rows - 1)) {
    return invalid(stride("row_stride", row_stride) + ", more than memory has for " + std::to_string(rows) + " rows" +
                   of);
  }
  const size_t slice_bytes = (rows - 1) * row_stride + row_bytes;
  if (slices > 1 && slice_stride < slice_bytes) {
    return invalid(stride(slice + "_stride", slice_stride) + ", a " + slice + " has " + std::to_string(slice_bytes) +
                   " bytes");
  }
  if (slices > 1 && slice_stride > (kMost - slice_bytes) / (slices - 1)) {
    return invalid(stride(slice + "_stride", slice_stride) + ", more than memory has for " + std::to_string(slices) +
                   " " + slice + "s");
  }
  return {};
}

/// Checks format, size, slices and strides of a view. `what` names it in the message. Errors: kInvalidArgument.
Result<void> check_view(const std::string& what, const ImageView& view, Format format, Extent size, uint32_t slices);

/// The same for a view whose format may also be RGB, where `format` is that with alpha (is_row_format()).
Result<void> check_color_view(const std::string& what, const ImageView& view, Format format, Extent size,
                              uint32_t slices);

}  // namespace onepass::cpu
