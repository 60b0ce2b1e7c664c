// tile_image.hpp: tiles as JPEG, PNG and WebP files in memory.
#pragma once

#include <cstddef>
#include <span>

#include "onepass/image.hpp"
#include "tiles/compress.hpp"
#include "tiles/picture_header.hpp"

namespace onepass::tiles {

/// Pixels of one tile, inside rows of a band.
struct TilePixels {
  const std::byte* data = nullptr;
  size_t stride = 0;
  Extent size;
  PixelLayout layout;

  [[nodiscard]] const std::byte* row(uint32_t y) const { return data + y * stride; }
};

/// The parts of a JPEG stream in a TIFF file, which stores the tables once.
enum class JpegStream {
  kFile,         ///< A file with everything, JFIF header included.
  kAbbreviated,  ///< Without tables, in YCbCr or grey.
};

/// JPEG of 8-bit grey or RGB. A straight alpha channel is composited over black, in linear light if `srgb`.
/// Chroma has half the width and height below quality 90.
Bytes encode_jpeg(const TilePixels& tile, int quality, bool srgb, std::span<const std::byte> icc, JpegStream stream);

/// The quantisation and Huffman tables that abbreviated streams of this quality lack.
Bytes jpeg_tables(int quality, uint32_t channels);

/// Whether chroma has half the width and height at this quality.
constexpr bool subsamples_chroma(int quality) { return quality < 90; }

/// PNG of 8 or 16 bits and 1 to 4 channels, whose alpha must be straight. Without a profile, `srgb` tells whether the
/// sRGB chunk is written.
Bytes encode_png(const TilePixels& tile, bool srgb, std::span<const std::byte> icc);

/// WebP of 8-bit RGB, RGBA with straight alpha, or grey.
Bytes encode_webp(const TilePixels& tile, int quality);

}  // namespace onepass::tiles
