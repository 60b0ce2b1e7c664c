// views.cpp: compares a view with the options field by field. Strides are bounded so that the distance from the first
// to the last byte fits in ptrdiff_t: later arithmetic with pointers cannot overflow.
#include "cpu/views.hpp"

#include <algorithm>
#include <cstdint>

#include "image/error.hpp"
#include "image/row_rgb.hpp"

namespace onepass::cpu {

Result<void> check_view(const std::string& what, const ImageView& view, Format format, Extent size, uint32_t slices) {
  const FormatInfo& expected = texel_info(format);
  if (view.data == nullptr) return invalid(what + ": data is null");
  if (view.format != format) {
    const FormatInfo& given = texel_info(view.format);
    return invalid(
        what + ": format " +
        (given.channels != 0 ? std::string(given.name) : std::to_string(static_cast<uint32_t>(view.format))) +
        ", expected " + std::string(expected.name));
  }
  if (view.size != size) return invalid(what + ": size " + size_text(view.size) + ", expected " + size_text(size));
  if (view.slices != slices) {
    return invalid(what + ": slices " + std::to_string(view.slices) + ", expected " + std::to_string(slices));
  }
  const size_t row_bytes = size_t{size.width} * expected.bytes_per_texel;
  if (view.row_stride < row_bytes) {
    return invalid(what + ": row_stride " + std::to_string(view.row_stride) + ", a row has " +
                   std::to_string(row_bytes) + " bytes");
  }
  constexpr size_t kMost = PTRDIFF_MAX;  // largest distance from first to last byte
  if (view.row_stride > (kMost - row_bytes) / std::max(1U, size.height - 1)) {
    return invalid(what + ": row_stride " + std::to_string(view.row_stride) + ", more than memory has for " +
                   std::to_string(size.height) + " rows");
  }
  const size_t slice_bytes = (size.height - 1) * view.row_stride + row_bytes;
  if (slices > 1 && view.slice_stride < slice_bytes) {
    return invalid(what + ": slice_stride " + std::to_string(view.slice_stride) + ", a slice has " +
                   std::to_string(slice_bytes) + " bytes");
  }
  if (slices > 1 && view.slice_stride > (kMost - slice_bytes) / (slices - 1)) {
    return invalid(what + ": slice_stride " + std::to_string(view.slice_stride) + ", more than memory has for " +
                   std::to_string(slices) + " slices");
  }
  return {};
}

Result<void> check_color_view(const std::string& what, const ImageView& view, Format format, Extent size,
                              uint32_t slices) {
  const bool same = image::with_alpha(view.format) == format;
  return check_view(what, view, same ? view.format : format, size, slices);
}

}  // namespace onepass::cpu
