// hdr_header.hpp: the text before the pixels of a Radiance .hdr file.
//
//     #?RADIANCE
//     FORMAT=32-bit_rle_rgbe      or 32-bit_rle_xyze
//     EXPOSURE=2.5                lines NAME=value in any order; unknown ones say nothing about pixels
//
//     -Y 480 +X 640               after the empty line: 480 scanlines of 640 pixels, from the top, from the left
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/byte_stream.hpp"

namespace onepass::files {

/// Widths of scanlines that may be run-length coded, in pixels.
inline constexpr uint32_t kMinRunWidth = 8;
inline constexpr uint32_t kMaxRunWidth = 32767;

/// The order in which pixels are stored.
struct HdrOrder {
  bool columns = false;      ///< Scanlines are columns: the line with the size names X first.
  bool from_right = false;   ///< -X.
  bool from_bottom = false;  ///< +Y.
};

struct HdrHeader {
  uint32_t width = 0;
  uint32_t height = 0;
  HdrOrder order;
  bool xyz = false;  ///< Pixels are CIE X, Y and Z.
  /// Stored values are light times these, the products of all EXPOSURE and COLORCORR lines.
  std::array<double, 3> factors{1, 1, 1};
  std::optional<Chromaticities> primaries;
  double pixel_aspect_ratio = 1;  ///< Width over height; PIXASPECT is its inverse.
  std::vector<std::string> warnings;

  [[nodiscard]] uint32_t scanlines() const { return order.columns ? width : height; }
  [[nodiscard]] uint32_t scanline_pixels() const { return order.columns ? height : width; }
};

/// Reads the header from the start of `bytes`, which stands at the pixels then. The size is not checked.
Result<HdrHeader> read_hdr_header(const Source& source, ByteStream& bytes);

}  // namespace onepass::files
