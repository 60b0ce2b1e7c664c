// tiff_layout.hpp: reads and checks the tags of a TIFF directory that describe its pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "files/encoding.hpp"
#include "files/pixel_layout.hpp"
#include "files/readers.hpp"
#include "files/tiff_handle.hpp"
#include "image/div_up.hpp"

namespace onepass::files {

/// How the pixels of a page are stored.
struct TiffPage {
  Extent size;
  uint32_t samples = 1;         ///< Per pixel.
  uint32_t bits = 1;            ///< Per sample: 1 to 16, 24, 32 or 64.
  Sample sample = Sample::kU8;  ///< After unpacking.
  uint16_t photometric = 0;
  uint16_t compression = COMPRESSION_NONE;
  bool planes = false;           ///< One plane after the other; else samples are interleaved.
  std::vector<uint8_t> palette;  ///< Red, green and blue of each index; empty: no palette.

  bool tiled = false;
  uint32_t block_width = 0;  ///< Of a tile or strip.
  uint32_t block_height = 0;

  [[nodiscard]] uint32_t plane_count() const { return planes ? samples : 1; }
  [[nodiscard]] uint32_t block_samples() const { return planes ? 1 : samples; }  ///< Per pixel in a block.
  [[nodiscard]] uint64_t block_row_bytes() const { return div_up(uint64_t{block_width} * block_samples() * bits, 8); }
  [[nodiscard]] uint64_t block_bytes() const { return block_row_bytes() * block_height; }
  [[nodiscard]] uint64_t blocks_across() const { return div_up(uint64_t{size.width}, block_width); }
  [[nodiscard]] uint64_t blocks_down() const { return div_up(uint64_t{size.height}, block_height); }
  [[nodiscard]] uint64_t block_count() const { return blocks_across() * blocks_down() * plane_count(); }
  /// Channels of a row: more than samples if there is a palette.
  [[nodiscard]] uint32_t row_channels() const { return palette.empty() ? samples : 3; }
  /// The first sample is inverted.
  [[nodiscard]] bool inverted() const { return photometric == PHOTOMETRIC_MINISWHITE; }
  /// Rows have the bytes of the file, but for their order.
  [[nodiscard]] bool verbatim() const {
    return (bits == 8 || bits == 16 || bits == 32) && palette.empty() && !inverted();
  }
};

/// Reads and checks the tags of the current directory.
/// Errors: kBadData for missing tags and impossible values, kUnsupported for samples that are not read.
Result<TiffPage> tiff_page(const Source& source, TIFF* tiff);

/// Unpacks `count` stored pixels at `from`, the first of a row of a block, to interleaved samples at `to`, whose pixels
/// are `pixel_bytes` apart. A palette's indices become its colours; of MinIsWhite the first sample is inverted.
/// `plane`: of the samples, if they are stored in planes.
void unpack_tiff_pixels(const TiffPage& page, const std::byte* from, uint32_t count, std::byte* to, size_t pixel_bytes,
                        uint32_t plane = 0);

/// Refuses compressions whose pictures are not read as a whole: kUnsupported. tiles reads all of libtiff's.
Result<void> check_tiff_compression(const Source& source, const TiffPage& page);

/// The samples of a page that become an image of up to four channels.
struct TiffChannels {
  uint32_t colours = 1;  ///< 1, 3 (also for a palette), or 4 for CMYK.
  int alpha = -1;        ///< Number of the sample that is the last channel.
  AlphaAssociation association = AlphaAssociation::kNone;

  [[nodiscard]] bool inks() const { return colours == 4; }
  [[nodiscard]] bool gray() const { return colours == 1 && alpha < 0; }
};

/// Samples that are left out, and guesses, give warnings. Errors: kUnsupported for kinds of pixels that are not read.
Result<TiffChannels> tiff_channels(const Source& source, TIFF* tiff, const TiffPage& page,
                                   std::vector<std::string>& warnings);

/// The alpha that ExtraSamples states for the sample behind `colours` others; kNone if there are more.
AlphaAssociation tiff_alpha(TIFF* tiff, uint32_t samples, uint32_t colours);

/// The text of GDAL_NODATA, the value that stands for no value; empty without the tag.
std::string tiff_nodata(TIFF* tiff);

/// Number of pages behind the first that are no reduced copies of it.
uint32_t tiff_further_pages(TIFF* tiff);

/// The statements of the tags about colours. Those that are not used become warnings.
ColorTags tiff_colors(TIFF* tiff, std::vector<std::string>& warnings);

}  // namespace onepass::files
