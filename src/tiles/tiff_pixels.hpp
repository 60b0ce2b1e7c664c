// tiff_pixels.hpp: the stored form of the samples of a TIFF page, and its conversion to rows (pixel_layout.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/tiff_handle.hpp"
#include "onepass/result.hpp"
#include "tiles/pixel_layout.hpp"

namespace onepass::tiles {

/// Pixels of the current directory of a TIFF file, as stored.
struct TiffPixels {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t samples = 1;  ///< Per pixel.
  uint32_t bits = 8;     ///< Per sample: 1 to 16, 24, 32 or 64.
  uint16_t format = SAMPLEFORMAT_UINT;
  uint16_t photometric = 0;
  uint16_t compression = COMPRESSION_NONE;
  bool planes = false;  ///< Each sample has its own blocks.
  bool tiled = false;
  uint32_t block_width = 0;  ///< Of a tile; the width for strips.
  uint32_t block_height = 0;
  std::vector<uint8_t> palette;  ///< Red, green and blue of each index; empty: no palette.

  [[nodiscard]] uint32_t block_samples() const { return planes ? 1 : samples; }
  [[nodiscard]] size_t block_row_bytes() const { return (size_t{block_width} * block_samples() * bits + 7) / 8; }
  [[nodiscard]] size_t block_bytes() const { return block_row_bytes() * block_height; }
  /// Channels of a row: more than samples if there is a palette.
  [[nodiscard]] uint32_t row_channels() const { return palette.empty() ? samples : 3; }
  /// Rows have the bytes of the file.
  [[nodiscard]] bool verbatim() const {
    return (bits == 8 || bits == 16 || bits == 32) && palette.empty() && photometric != PHOTOMETRIC_MINISWHITE;
  }
};

/// Reads and checks the tags of the current directory.
/// Errors: kBadData; kUnsupported for pixels that files::read() may read as a whole.
Result<TiffPixels> tiff_pixels(const std::string& name, TIFF* tiff);

/// The layout of rows; alpha as ExtraSamples states it.
PixelLayout row_layout(const TiffPixels& pixels, TIFF* tiff);

/// Converts `count` stored pixels at `from`, the first of a row of a block, to interleaved samples at `to`, whose
/// pixels are `pixel_bytes` apart.
void unpack_pixels(const TiffPixels& pixels, const std::byte* from, uint32_t count, std::byte* to, size_t pixel_bytes);

/// Profile, resolution, GeoTIFF tags and GDAL_NODATA of the current directory.
PictureTags tiff_picture_tags(TIFF* tiff);

/// GeoTIFF without red, green and blue: elevations, bands of sensors.
bool holds_measurements(const PictureTags& tags, const TiffPixels& pixels);

}  // namespace onepass::tiles
