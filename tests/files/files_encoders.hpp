// files_encoders.hpp: test files for onepass::files: TIFF by libtiff, WebP by libwebp, TGA by hand, and ICC profiles by
// Little CMS. Functions of libraries that the build lacks are not declared.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tests/files/files_support.hpp"

namespace files_test {

/// Lists of tag values for loops.
using Numbers = std::initializer_list<uint16_t>;

#ifdef ONEPASS_HAS_TIFF

/// A TIFF to be written by libtiff. Names and numbers are those of TIFF 6.0.
struct TiffSpec {
  uint32_t width = 1;
  uint32_t height = 1;
  uint16_t samples = 1;  // per pixel
  uint16_t bits = 8;
  uint16_t sample_format = 1;  // 1 unsigned, 2 signed, 3 float
  uint16_t photometric = 1;    // 0 MinIsWhite, 1 MinIsBlack, 2 RGB, 3 palette, 5 CMYK, 6 YCbCr
  bool planes = false;
  uint16_t compression = 1;  // 1 none, 4 fax, 5 LZW, 7 JPEG, 8 deflate, 32773 PackBits, 34925 LZMA, 50000 Zstandard
  uint16_t predictor = 1;    // for LZW, deflate, LZMA and Zstandard
  uint32_t tile_width = 0;   // 0: strips
  uint32_t tile_height = 0;
  uint32_t strip_rows = 0;  // 0: one strip
  std::vector<uint16_t> extra{};
  uint16_t orientation = 1;
  uint16_t ink_set = 0;              // 0: no tag
  std::vector<uint16_t> palette{};   // red of all indices, then green, then blue
  std::vector<std::byte> profile{};  // ICC
  std::vector<float> primaries{};    // x and y of red, green and blue; with `white`
  std::vector<float> white{};
  double transfer_gamma = 0;  // TransferFunction of a power; 0: no tag
  float resolution = 0;       // per inch; 0: no tag
  uint32_t pages = 1;         // number of equal pages
  uint32_t subfile_type = 0;
  bool no_photometric = false;   // omits the tag
  std::string mode = "w";        // "wb": big-endian, "w8": BigTIFF
  std::vector<double> values{};  // interleaved samples: integers as stored, floats by value
};
Bytes make_tiff(const TiffSpec& spec);

/// A TIFF read by libtiff without any transformation.
struct TiffContent {
  uint32_t width = 0;
  uint32_t height = 0;
  uint16_t samples = 0;
  uint16_t bits = 0;
  uint16_t sample_format = 0;
  uint16_t photometric = 0;
  uint16_t compression = 0;
  uint16_t predictor = 0;
  uint32_t tile_width = 0;
  uint32_t tile_height = 0;
  uint32_t strips = 0;  // or tiles
  std::vector<uint16_t> extra{};
  std::vector<std::byte> profile{};
  std::vector<float> primaries{};  // and white
  bool big = false;
  Bytes pixels{};  // interleaved, rows without gaps
};
TiffContent parse_tiff(const std::filesystem::path& path);

/// Offset of the value of `tag` in the first directory of a little-endian classic TIFF; 0 if the tag is missing.
size_t tiff_entry(const Bytes& bytes, uint16_t tag);

#endif

#ifdef ONEPASS_HAS_WEBP

/// A WebP by libwebp: exact lossless, or lossy with `quality`. `rgba`: four bytes per pixel.
Bytes make_webp(uint32_t width, uint32_t height, const std::vector<uint8_t>& rgba, std::optional<float> quality = {});

/// Builds a file of a VP8X chunk, `before`, the pixel chunks of `plain`, and `after`.
Bytes webp_with_chunks(const Bytes& plain, uint32_t width, uint32_t height, uint8_t flags,
                       const std::vector<std::pair<std::string, Bytes>>& before,
                       const std::vector<std::pair<std::string, Bytes>>& after = {});

#endif

/// A TGA written by hand. Pixels and palette entries are bytes as stored.
struct TgaSpec {
  uint8_t type = 2;  // 1 palette, 2 colour, 3 grey; 9, 10, 11 run-length encoded
  uint16_t width = 1;
  uint16_t height = 1;
  uint8_t bits = 24;
  uint8_t descriptor = 0x20;  // bits 0-3: attribute bits; bit 4: origin at the right; bit 5: origin at the top
  std::string identification{};
  uint16_t palette_first = 0;
  uint8_t palette_bits = 0;
  std::vector<uint8_t> palette{};
  std::vector<uint8_t> pixels{};
  bool footer = false;
  std::optional<uint8_t> attributes{};  // attributes type; adds an extension area and a footer
  std::array<uint16_t, 2> gamma{};      // in the extension area
};
Bytes make_tga(const TgaSpec& spec);

/// A DDS file made by hand. The header of DX10 follows if `dxgi` is not 0.
struct DdsSpec {
  uint32_t width = 1;
  uint32_t height = 1;
  uint32_t levels = 0;  // dwMipMapCount
  uint32_t pixel_flags = 0x4;
  std::string four_cc = "DX10";
  uint32_t bits = 0;
  std::array<uint32_t, 4> masks{};
  uint32_t caps2 = 0;
  uint32_t dxgi = 0;
  uint32_t dimension = 3;
  uint32_t misc = 0;
  uint32_t layers = 1;
  uint32_t alpha_mode = 0;
  Bytes pixels{};
};
Bytes make_dds(const DdsSpec& spec);

#ifdef ONEPASS_HAS_LCMS

/// A CMYK profile of neutral colours: L* is 100 without black and `darkest` at full black, whatever the other inks.
Bytes make_ink_profile(double darkest);

/// An RGB profile of these primaries with the transfer curve light = value^gamma.
Bytes make_rgb_profile(double gamma, const onepass::Chromaticities& primaries);

#endif

}  // namespace files_test
