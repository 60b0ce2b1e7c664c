// arrays.hpp: NumPy arrays as onepass views, without a copy.
//
// An array is an image (H, W), (H, W, C) or a stack of images (N, H, W, C) whose texels are contiguous. Rows and slices
// may be any distance apart. The package onepass (_arrays.py) copies all other arrays before it calls this module, so a
// failure here is an error of the package; it still ends in an exception and never in a wrong read.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "onepass/image.hpp"

namespace onepass::python {

namespace py = pybind11;

/// The shape and type of an array as an image.
struct Layout {
  char type = 0;  ///< NumPy's character: B uint8, H uint16, I uint32, e float16, f float32, F complex64.
  uint32_t slices = 1;
  Extent size;
  uint32_t channels = 1;

  [[nodiscard]] size_t bytes_per_texel() const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The layout of a shape of two to four dimensions. `argument` is the name for errors.
Layout layout_of(const py::tuple& shape, const std::string& type, const char* argument);

/// What the numbers of an array stand for.
enum class Numbers {
  kLinear,
  kSrgb,    ///< uint8 encoded as sRGB.
  kLabels,  ///< Integers of one channel, for Reduction::kMode.
};

/// The format of an array.
Format format_of(const Layout& layout, Numbers numbers, const char* argument);

/// The view of an array of exactly this layout.
MutableImageView target_view(const py::array& array, const Layout& layout, Format format, const char* argument);
ImageView source_view(const py::array& array, const Layout& layout, Format format, const char* argument);

/// Uninitialised memory that grows.
class RawMemory {
 public:
  /// At least `bytes` bytes; earlier contents are lost when it grows.
  std::byte* reserve(size_t bytes);
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  std::unique_ptr<std::byte[]> data_;
  size_t capacity_ = 0;
};

/// Arrays of three channels, which have no format in the options of an engine: its options name that of four. Some
/// classes of the CPU engine take views of three channels nevertheless; for all others Padding has copies with four.
/// Their memory stays for the next call. All other layouts pass through without a copy.
class Padding {
 public:
  /// The layout of an engine's options: four channels in place of three.
  static Layout padded(Layout layout);

  /// The engine takes views of three channels.
  void pass_through() { copies_ = false; }

  /// The view that the engine reads of `view`, which has `layout`, for options with `format`. In a copy alpha is 1.
  ImageView source(const ImageView& view, const Layout& layout, Format format);
  /// The view that the engine writes; finish() moves three of four channels to `view`.
  MutableImageView target(const MutableImageView& view, const Layout& layout, Format format);
  /// Returns the bytes that were copied since source() or target().
  uint64_t finish();

  /// Bytes that source() has copied.
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  bool copies_ = true;
  RawMemory source_, target_;
  MutableImageView result_{};
  Layout result_layout_{};
  uint64_t bytes_ = 0;
};

}  // namespace onepass::python
