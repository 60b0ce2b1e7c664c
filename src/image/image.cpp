// image.cpp: Image, which owns its pixels.
#include "onepass/image.hpp"

#include <limits>
#include <new>
#include <string>

#include "image/div_up.hpp"
#include "image/error.hpp"

namespace onepass {
namespace {

constexpr size_t kAlignment = 64;  // bytes of a cache line and of the widest vector

/// Writes a * b to `product`; false if it overflows.
bool multiply(size_t a, size_t b, size_t& product) { return !__builtin_mul_overflow(a, b, &product); }

}  // namespace

Result<Image> Image::create(Format format, Extent size, uint32_t slices) {
  const FormatInfo& info = texel_info(format);
  if (info.channels == 0) {
    return invalid("unknown format " + std::to_string(static_cast<uint32_t>(format)));
  }
  const std::string shape = size_text(size) + ", slices " + std::to_string(slices);
  if (size.width == 0 || size.height == 0 || slices == 0) {
    return invalid("an image cannot be empty: size " + shape);
  }
  size_t row_stride = 0;
  size_t slice_stride = 0;
  size_t bytes = 0;
  const bool fits = multiply(size.width, info.bytes_per_texel, row_stride) &&
                    multiply(row_stride, size.height, slice_stride) && multiply(slice_stride, slices, bytes) &&
                    bytes <= std::numeric_limits<size_t>::max() / 2;
  void* data =
      fits ? ::operator new (round_up(bytes, kAlignment), std::align_val_t{kAlignment}, std::nothrow) : nullptr;
  if (data == nullptr) {
    return Error{ErrorCode::kOutOfMemory, "no memory for an image of size " + shape + " in " + std::string(info.name),
                 ""};
  }
  Image image;
  image.view_ = {data, format, size, slices, row_stride, slice_stride};
  return image;
}

Image::~Image() { ::operator delete (view_.data, std::align_val_t{kAlignment}); }

}  // namespace onepass
