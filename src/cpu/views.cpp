// views.cpp: compares a view with the options field by field.
#include "cpu/views.hpp"

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
  return check_strides(what, view.row_stride, view.slice_stride, row_bytes, size.height, slices);
}

Result<void> check_color_view(const std::string& what, const ImageView& view, Format format, Extent size,
                              uint32_t slices) {
  const bool same = image::with_alpha(view.format) == format;
  return check_view(what, view, same ? view.format : format, size, slices);
}

}  // namespace onepass::cpu
