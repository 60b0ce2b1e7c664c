// tiff_layout.hpp: reads and checks the tags of a TIFF directory that describe its pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/encoding.hpp"
#include "files/readers.hpp"
#include "files/tiff_handle.hpp"
#include "image/div_up.hpp"

namespace onepass::files {

/// Type of the samples after unpacking.
enum class TiffSample {
  kCode8,   ///< UNORM of 8 bits; 1 to 7 are scaled.
  kCode16,  ///< UNORM of 16 bits; 9 to 15 are scaled.
  kCode32,  ///< UNORM of 32 bits, as floats 0 to 1.
  kHalf,
  kFloat,  ///< Of 24, 32 or 64 bits.
};

/// How pixels are stored, and which samples become which channels.
struct TiffLayout {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t samples = 1;  // per pixel
  uint32_t bits = 1;     // per sample
  TiffSample sample = TiffSample::kCode8;
  bool floats = false;     // as stored
  bool is_signed = false;  // integers, as floats of the same value
  uint16_t photometric = 0;
  uint16_t compression = 1;
  bool planes = false;  // one plane after the other; else samples are interleaved

  bool tiled = false;
  uint32_t block_width = 0;  // of a tile or strip
  uint32_t block_height = 0;
  uint64_t block_bytes = 0;  // decoded, of one plane

  uint32_t colours = 1;  // 1, 3 (also for a palette), or 4 for CMYK
  int alpha = -1;        // number of the sample that is the fourth channel
  AlphaAssociation association = AlphaAssociation::kNone;
  std::vector<uint8_t> palette;  // red, green, blue of each index

  [[nodiscard]] bool inks() const { return colours == 4; }
  [[nodiscard]] bool gray() const { return colours == 1 && alpha < 0; }
  [[nodiscard]] uint64_t blocks_across() const { return div_up(uint64_t{width}, block_width); }
  [[nodiscard]] uint64_t blocks_down() const { return div_up(uint64_t{height}, block_height); }
  [[nodiscard]] uint64_t block_count() const { return blocks_across() * blocks_down() * plane_count(); }
  [[nodiscard]] uint32_t plane_count() const { return planes ? samples : 1; }
  [[nodiscard]] uint32_t block_samples() const { return planes ? 1 : samples; }  // per pixel in a block
};

/// Reads and checks the tags of the current directory. Samples that are left out, and guesses, give warnings.
/// Errors: kBadData for missing tags and impossible values, kUnsupported for kinds of pixels that are not read.
Result<TiffLayout> tiff_layout(const Source& source, TIFF* tiff, std::vector<std::string>& warnings);

/// Red, green and blue of each index, 8 bits each. ColorMap has 16 bits; old programs stored 8-bit values.
Result<std::vector<uint8_t>> tiff_palette(const Source& source, TIFF* tiff, uint32_t bits);

/// The text of GDAL_NODATA, the value that stands for no value; empty without the tag.
std::string tiff_nodata(TIFF* tiff);

/// Number of pages behind the first that are no reduced copies of it.
uint32_t tiff_further_pages(TIFF* tiff);

/// Bytes of a sample of `bits` bits as unpack_tiff_samples() returns it.
constexpr size_t tiff_sample_bytes(uint32_t bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : 4; }

/// Unpacks `count` stored samples of a row to 8, 16 or 32 bits in the byte order of this machine. Samples of 8, 16 and
/// 32 bits are copied. Fields of 1 to 7 and 9 to 15 bits, of which the first has the highest bits, are scaled to the
/// range of 8 and 16 bits unless they are `indices` of a palette. Floats of 24 and 64 bits become 32.
void unpack_tiff_samples(uint32_t bits, bool indices, const std::byte* from, size_t count, std::byte* to);

/// The statements of the tags about colours. Those that are not used become warnings.
ColorTags tiff_colors(TIFF* tiff, std::vector<std::string>& warnings);

}  // namespace onepass::files
