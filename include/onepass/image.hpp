// image.hpp: pixels in host memory: formats, sizes, views, and an image that owns its pixels.
//
// Rows are stored from top to bottom, texels from left to right, channels interleaved, and slices (array layers or cube
// faces) one after the other. Channel c of the texel at (x, y) of slice s begins at byte
//     data + s * slice_stride + y * row_stride + x * bytes_per_texel + offset of channel c.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "onepass/export.h"
#include "onepass/result.hpp"

namespace onepass {

/// Texel formats. The enumerators have the numbers of VkFormat: a cast converts in both directions, and KTX2 stores
/// them unchanged. Integers are little-endian. UNORM maps 0..2^n-1 to 0..1. Srgb values are decoded to linear light on
/// reading; alpha is linear.
enum class Format : uint32_t {
  kUndefined = 0,
  kR8Unorm = 9,
  kR8Uint = 13,  ///< A label; see is_row_format().
  kR8Srgb = 15,
  kRG8Unorm = 16,
  kRG8Srgb = 22,    ///< Both channels are colours.
  kRGB8Unorm = 23,  ///< Three bytes; see is_row_format().
  kRGB8Srgb = 29,   ///< Three bytes; see is_row_format().
  kRGBA8Unorm = 37,
  kRGBA8Srgb = 43,
  kBGRA8Unorm = 44,        ///< Blue in the first byte, alpha in the last; the usual format of swapchains.
  kBGRA8Srgb = 50,         ///< The same.
  kA2B10G10R10Unorm = 64,  ///< 32-bit word: R in bits 0-9, G 10-19, B 20-29, A 30-31. DXGI's R10G10B10A2_UNORM,
                           ///< OpenGL's RGB10_A2.
  kR16Unorm = 70,
  kR16Uint = 74,  ///< A label; see is_row_format().
  kR16Sfloat = 76,
  kRG16Unorm = 77,
  kRG16Sfloat = 83,
  kRGB16Unorm = 84,   ///< Six bytes; see is_row_format().
  kRGB16Sfloat = 90,  ///< Six bytes; see is_row_format().
  kRGBA16Unorm = 91,
  kRGBA16Sfloat = 97,
  kR32Uint = 98,  ///< A label; see is_row_format().
  kR32Sfloat = 100,
  kRG32Sfloat = 103,
  kRGB32Sfloat = 106,  ///< Twelve bytes; see is_row_format().
  kRGBA32Sfloat = 109,
  kB10G11R11Ufloat = 122,  ///< 32-bit word: R in bits 0-10 (5-bit exponent, 6-bit mantissa), G in 11-21 (same), B in
                           ///< 22-31 (5 + 5 bits). DXGI's R11G11B10_FLOAT, OpenGL's R11F_G11F_B10F.
  kD16Unorm = 124,         ///< Depth; only as a source, as the formats below.
  kX8D24Unorm = 125,       ///< 32-bit word: depth in bits 0-23; bits 24-31 are ignored.
  kD32Sfloat = 126,
  // Depth and stencil. Only depth is read. In host memory there is depth alone, as Vulkan copies it from the image.
  kD24UnormS8 = 129,   ///< In host memory as kX8D24Unorm.
  kD32SfloatS8 = 130,  ///< In host memory as kD32Sfloat.
};

/// The encoding of a channel.
enum class ChannelType { kUnorm, kSrgb, kFloat, kUint };

/// The properties of a Format.
struct FormatInfo {
  Format format = Format::kUndefined;
  std::string_view name;         ///< Lower-case Vulkan name, as on the command line: "r8g8b8a8_srgb".
  uint32_t channels = 0;         ///< 1, 2, 3 or 4.
  uint32_t bytes_per_texel = 0;  ///< 1 to 16.
  ChannelType type = ChannelType::kUnorm;
  bool depth = false;       ///< A depth format: one channel, only as a source.
  bool packed = false;      ///< A 32-bit word whose bits the channels share.
  bool blue_first = false;  ///< Stored channels are blue, green, red, alpha.
  /// Of each channel as it is stored: red, green, blue and alpha, or blue first. Of a depth format the bits of depth.
  std::array<uint8_t, 4> bits{};
};

/// Every format that all techniques support, in the order of the enum: all but those of is_row_format().
[[nodiscard]] ONEPASS_API std::span<const FormatInfo> all_formats();

/// The properties of `format`; a FormatInfo with `channels == 0` if it is not one of all_formats().
[[nodiscard]] ONEPASS_API const FormatInfo& format_info(Format format);

/// Is it a format that few functions support? Either RGB without alpha (kRGB8Unorm, kRGB8Srgb, kRGB16Unorm,
/// kRGB16Sfloat, kRGB32Sfloat) or labels (kR8Uint, kR16Uint, kR32Uint), for Reduction::kMode. Functions that do not
/// name such formats refuse them.
///
/// RGB: cpu::PyramidStream takes it as a format of its options. cpu::Meter, ToneMap, FrameToneMap, Transform,
/// Convolver, Filter, Correlator, Deconvolver and Bloom take a view of it wherever their options say the format with
/// alpha (kRGB8Srgb for kRGBA8Srgb), and so do the kernel images of both engines: a texel read has an alpha of 1, and
/// the alpha of a result is dropped. Their plans count the bytes of the options' format.
[[nodiscard]] ONEPASS_API bool is_row_format(Format format);

/// The properties of `format`, those of is_row_format() included; a FormatInfo with `channels == 0` if it is unknown.
[[nodiscard]] ONEPASS_API const FormatInfo& texel_info(Format format);

/// Width and height in texels.
struct Extent {
  uint32_t width = 0;
  uint32_t height = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// A rectangle of texels, [x, x+width) by [y, y+height).
struct Rect {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// Content outside an image.
enum class Boundary : uint32_t {
  kZero,    ///< Zero.           0 0 0 | a b c | 0 0 0
  kWrap,    ///< Periodic.       a b c | a b c | a b c
  kClamp,   ///< The last texel. a a a | a b c | c c c
  kMirror,  ///< Mirrored, with the edge texel repeated (as a mirrored-repeat sampler). c b a | a b c | c b a
};

/// Pixels that the caller owns and onepass reads.
struct ImageView {
  const void* data = nullptr;
  Format format = Format::kUndefined;
  Extent size;
  uint32_t slices = 1;
  size_t row_stride = 0;    ///< Bytes from one row to the next; at least width * bytes_per_texel.
  size_t slice_stride = 0;  ///< Bytes from one slice to the next; not used if there is one slice.

  /// The first byte of a row.
  [[nodiscard]] const std::byte* row(uint32_t y, uint32_t slice = 0) const {
    return static_cast<const std::byte*>(data) + slice * slice_stride + y * row_stride;
  }
};

/// Pixels that the caller owns and onepass writes.
struct MutableImageView {
  void* data = nullptr;
  Format format = Format::kUndefined;
  Extent size;
  uint32_t slices = 1;
  size_t row_stride = 0;    ///< As in ImageView.
  size_t slice_stride = 0;  ///< As in ImageView.

  /// The first byte of a row.
  [[nodiscard]] std::byte* row(uint32_t y, uint32_t slice = 0) const {
    return static_cast<std::byte*>(data) + slice * slice_stride + y * row_stride;
  }
  /// A writable view converts to a read-only one.
  operator ImageView() const {  // NOLINT(google-explicit-constructor)
    return {data, format, size, slices, row_stride, slice_stride};
  }
};

/// An image that owns its pixels. They are tightly packed: row_stride = width * bytes_per_texel, no gap between slices.
class ONEPASS_API Image {
 public:
  Image() = default;

  /// Allocates uninitialised pixels, aligned to 64 bytes.
  /// Errors: kInvalidArgument for an unknown format, a zero size or zero slices; kOutOfMemory.
  static Result<Image> create(Format format, Extent size, uint32_t slices = 1);

  [[nodiscard]] Format format() const { return view_.format; }    ///< kUndefined if the image has no pixels.
  [[nodiscard]] Extent size() const { return view_.size; }        ///< In texels.
  [[nodiscard]] uint32_t slices() const { return view_.slices; }  ///< Array layers or cube faces.
  [[nodiscard]] ImageView view() const { return view_; }          ///< The pixels, read-only.
  [[nodiscard]] MutableImageView view() { return view_; }         ///< The pixels, writable.
  /// The size of data() in bytes.
  [[nodiscard]] size_t size_in_bytes() const { return view_.slice_stride * view_.slices; }
  /// The pixels of all slices, one slice after the other.
  [[nodiscard]] std::byte* data() { return static_cast<std::byte*>(view_.data); }
  /// The pixels of all slices, one slice after the other.
  [[nodiscard]] const std::byte* data() const { return static_cast<const std::byte*>(view_.data); }

  /// Takes the pixels of `other`, which then has none.
  Image(Image&& other) noexcept { swap(other); }
  /// Exchanges the pixels of the two images.
  Image& operator=(Image&& other) noexcept {
    swap(other);
    return *this;
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image();

 private:
  void swap(Image& other) noexcept { std::swap(view_, other.view_); }
  MutableImageView view_;
};

/// Decodes one row of `count` texels at `texels` into 4 floats per texel, as a Vulkan sampler does: missing colour
/// channels become 0, a missing alpha 1, and sRGB becomes linear light. The decoding is exact for every format. `rgba`
/// has space for 4 * count floats. `format` must be one of all_formats() or RGB. Threads: any number of calls at once.
ONEPASS_API void decode_row(Format format, const void* texels, uint32_t count, float* rgba);

/// Encodes 4 floats per texel into one row of `count` texels. UNORM and sRGB clamp to 0..1 and round to nearest; NaN
/// becomes 0. Half and B10G11R11 round to nearest, finite values beyond the largest to that, negative B10G11R11 to 0.
/// `format` must be one of all_formats() or RGB. Threads: any number of calls at once.
ONEPASS_API void encode_row(Format format, const float* rgba, uint32_t count, void* texels);

}  // namespace onepass
