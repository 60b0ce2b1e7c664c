// arrays.cpp: see arrays.hpp.
#include "arrays.hpp"

#include <cstring>
#include <utility>

#include "errors.hpp"

namespace onepass::python {
namespace {

constexpr py::ssize_t kMostTexels = 1 << 30;

size_t type_bytes(char type) {
  switch (type) {
    case 'B':
      return 1;
    case 'H':
    case 'e':
      return 2;
    case 'I':
    case 'f':
      return 4;
    default:
      return 8;  // complex64
  }
}

uint32_t dimension(const py::handle& value, const char* argument) {
  const auto n = value.cast<py::ssize_t>();
  if (n < 1) fail(ErrorCode::kInvalidArgument, "is empty: its shape contains " + std::to_string(n), argument);
  if (n > kMostTexels) fail(ErrorCode::kInvalidArgument, "dimension " + std::to_string(n) + " is too large", argument);
  return static_cast<uint32_t>(n);
}

// Copies texels of `from` channels to texels of `to` channels and fills the fourth channel.
template <typename T, uint32_t from, uint32_t to>
void copy_row(const void* source, void* target, uint32_t width, T fill) {
  const T* in = static_cast<const T*>(source);
  T* out = static_cast<T*>(target);
  for (uint32_t x = 0; x < width; ++x, in += from, out += to) {
    out[0] = in[0];
    out[1] = in[1];
    out[2] = in[2];
    if constexpr (to == 4) out[3] = fill;
  }
}

template <uint32_t from, uint32_t to>
void copy_texels(const ImageView& source, const MutableImageView& target, char type) {
  for (uint32_t slice = 0; slice < source.slices; ++slice) {
    for (uint32_t y = 0; y < source.size.height; ++y) {
      const std::byte* in = source.row(y, slice);
      std::byte* out = target.row(y, slice);
      const uint32_t width = source.size.width;
      if (type == 'B') copy_row<uint8_t, from, to>(in, out, width, 255);
      if (type == 'H') copy_row<uint16_t, from, to>(in, out, width, 65535);
      if (type == 'e') copy_row<uint16_t, from, to>(in, out, width, 0x3C00);
      if (type == 'f') copy_row<float, from, to>(in, out, width, 1.0F);
    }
  }
}

MutableImageView packed(RawMemory& memory, const ImageView& view, const Layout& layout, Format format) {
  const size_t row = view.size.width * Padding::padded(layout).bytes_per_texel();
  const size_t slice = row * view.size.height;
  return {memory.reserve(slice * view.slices), format, view.size, view.slices, row, slice};
}

/// The view with the format of three channels for a format of four.
template <typename View>
View without_alpha(View view, Format format) {
  using enum Format;
  switch (format) {
    case kRGBA8Unorm:
      view.format = kRGB8Unorm;
      break;
    case kRGBA8Srgb:
      view.format = kRGB8Srgb;
      break;
    case kRGBA16Unorm:
      view.format = kRGB16Unorm;
      break;
    case kRGBA16Sfloat:
      view.format = kRGB16Sfloat;
      break;
    default:
      view.format = kRGB32Sfloat;
  }
  return view;
}

}  // namespace

size_t Layout::bytes_per_texel() const { return type_bytes(type) * channels; }

Layout layout_of(const py::tuple& shape, const std::string& type, const char* argument) {
  const size_t n = shape.size();
  if (n < 2 || n > 4) {
    fail(ErrorCode::kInvalidArgument,
         "has " + std::to_string(n) + " dimensions; images are (H, W), (H, W, C) or (N, H, W, C)", argument);
  }
  Layout layout;
  layout.type = type.size() == 1 ? type[0] : '\0';
  if (std::string_view("BHIefF").find(layout.type) == std::string_view::npos) {
    fail(ErrorCode::kInvalidArgument, "has dtype character '" + type + "'", argument);
  }
  const size_t first = n == 4 ? 1 : 0;
  if (n == 4) layout.slices = dimension(shape[0], argument);
  layout.size = {dimension(shape[first + 1], argument), dimension(shape[first], argument)};
  if (n > 2) layout.channels = dimension(shape[n - 1], argument);
  if (layout.channels > 4) {
    fail(ErrorCode::kInvalidArgument, "has " + std::to_string(layout.channels) + " channels; images have 1 to 4",
         argument);
  }
  return layout;
}

Format format_of(const Layout& layout, Numbers numbers, const char* argument) {
  using enum Format;
  const uint32_t c = layout.channels - 1;
  if (numbers == Numbers::kLabels) {
    if (c == 0 && layout.type == 'B') return kR8Uint;
    if (c == 0 && layout.type == 'H') return kR16Uint;
    if (c == 0 && layout.type == 'I') return kR32Uint;
    fail(ErrorCode::kInvalidArgument, "must be uint8, uint16 or uint32 with one channel: labels", argument);
  }
  if (numbers == Numbers::kSrgb) {
    if (layout.type != 'B') fail(ErrorCode::kInvalidArgument, "must be uint8 with color='srgb'", argument);
    return std::array{kR8Srgb, kRG8Srgb, kRGB8Srgb, kRGBA8Srgb}[c];
  }
  switch (layout.type) {
    case 'B':
      return std::array{kR8Unorm, kRG8Unorm, kRGB8Unorm, kRGBA8Unorm}[c];
    case 'H':
      return std::array{kR16Unorm, kRG16Unorm, kRGB16Unorm, kRGBA16Unorm}[c];
    case 'e':
      return std::array{kR16Sfloat, kRG16Sfloat, kRGB16Sfloat, kRGBA16Sfloat}[c];
    case 'f':
      return std::array{kR32Sfloat, kRG32Sfloat, kRGB32Sfloat, kRGBA32Sfloat}[c];
    case 'F':
      if (c == 0) return kRG32Sfloat;
      if (c == 1) return kRGBA32Sfloat;
      fail(ErrorCode::kInvalidArgument, "has more than two complex channels", argument);
    default:
      fail(ErrorCode::kInvalidArgument, "must be uint8, uint16, float16 or float32; uint32 holds labels only",
           argument);
  }
}

ImageView source_view(const py::array& array, const Layout& layout, Format format, const char* argument) {
  const auto n = array.ndim();
  Layout given;
  if (n >= 2 && n <= 4) {
    given.type = array.dtype().char_();
    given.slices = n == 4 ? static_cast<uint32_t>(array.shape(0)) : 1;
    given.size = {static_cast<uint32_t>(array.shape(n == 4 ? 2 : 1)),
                  static_cast<uint32_t>(array.shape(n == 4 ? 1 : 0))};
    given.channels = n > 2 ? static_cast<uint32_t>(array.shape(n - 1)) : 1;
  }
  if (given != layout) {
    const auto text = [](const Layout& l) {
      return "(" + std::to_string(l.slices) + ", " + std::to_string(l.size.height) + ", " +
             std::to_string(l.size.width) + ", " + std::to_string(l.channels) + ") of type '" + l.type + "'";
    };
    fail(ErrorCode::kInvalidArgument, "is an image " + text(given) + ", expected " + text(layout), argument);
  }
  const auto item = static_cast<py::ssize_t>(type_bytes(layout.type));
  const auto texel = static_cast<py::ssize_t>(layout.bytes_per_texel());
  const auto row = static_cast<py::ssize_t>(layout.size.width) * texel;
  const py::ssize_t y_axis = n == 4 ? 1 : 0;
  const bool texels = n < 3 || layout.channels == 1 || array.strides(n - 1) == item;
  const bool rows = layout.size.width == 1 || array.strides(y_axis + 1) == texel;
  const py::ssize_t row_stride = layout.size.height == 1 ? row : array.strides(y_axis);
  const py::ssize_t slice = (static_cast<py::ssize_t>(layout.size.height) - 1) * row_stride + row;
  const py::ssize_t slice_stride = layout.slices == 1 ? slice : array.strides(0);
  const bool aligned = reinterpret_cast<uintptr_t>(array.data()) % static_cast<uintptr_t>(item) == 0;
  if (!texels || !rows || row_stride < row || slice_stride < slice || !aligned || row_stride % item != 0 ||
      slice_stride % item != 0) {
    fail(ErrorCode::kInvalidArgument, "has strides that need a copy", argument);
  }
  return {array.data(),
          format,
          layout.size,
          layout.slices,
          static_cast<size_t>(row_stride),
          static_cast<size_t>(slice_stride)};
}

MutableImageView target_view(const py::array& array, const Layout& layout, Format format, const char* argument) {
  if (!array.writeable()) fail(ErrorCode::kInvalidArgument, "is read-only", argument);
  const ImageView view = source_view(array, layout, format, argument);
  return {const_cast<void*>(view.data), view.format, view.size, view.slices, view.row_stride, view.slice_stride};
}

std::byte* RawMemory::reserve(size_t bytes) {
  if (bytes > capacity_) {
    capacity_ = 0;
    data_.reset();
    data_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    capacity_ = bytes;
  }
  return data_.get();
}

Layout Padding::padded(Layout layout) {
  if (layout.channels == 3) layout.channels = 4;
  return layout;
}

ImageView Padding::source(const ImageView& view, const Layout& layout, Format format) {
  bytes_ = 0;
  if (layout.channels != 3) return view;
  if (!copies_) return without_alpha(view, format);
  const MutableImageView copy = packed(source_, view, layout, format);
  copy_texels<3, 4>(view, copy, layout.type);
  bytes_ = copy.slice_stride * copy.slices;
  return copy;
}

MutableImageView Padding::target(const MutableImageView& view, const Layout& layout, Format format) {
  result_ = {};
  if (layout.channels != 3) return view;
  if (!copies_) return without_alpha(view, format);
  result_ = view;
  result_layout_ = layout;
  return packed(target_, view, layout, format);
}

uint64_t Padding::finish() {
  const uint64_t copied = std::exchange(bytes_, 0);
  if (result_.data == nullptr) return copied;
  MutableImageView from = result_;
  from.data = target_.data();
  from.row_stride = result_.size.width * padded(result_layout_).bytes_per_texel();
  from.slice_stride = from.row_stride * result_.size.height;
  copy_texels<4, 3>(from, result_, result_layout_.type);
  return copied + from.slice_stride * from.slices;
}

}  // namespace onepass::python
