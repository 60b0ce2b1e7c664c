// encoding.hpp: how the codes of a file become light: what its chunks, tags and profiles say, read into one answer.
//
// A reader collects what its format says in ColorTags, asks encoding_of() once, and decodes by the answer: 8-bit codes
// of another curve than sRGB are exchanged for sRGB codes (recode), 16-bit ones become linear floats (decode_wide).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/readers.hpp"

namespace onepass::files {

/// What a file says of its colours. The strongest wins: code points, then the profile, then srgb, then the others.
struct ColorTags {
  std::optional<std::array<uint8_t, 2>> code_points;  ///< Primaries and transfer by ITU-T H.273 (PNG: cICP).
  std::vector<std::byte> icc;                         ///< An ICC profile; empty: none.
  bool srgb = false;                                  ///< The format's own mark for sRGB.
  std::optional<Chromaticities> primaries;            ///< PNG: cHRM. TIFF: PrimaryChromaticities, WhitePoint.
  std::optional<double> gamma;                        ///< Codes are light to the power 1 / gamma.
};

/// How codes become light.
struct Encoding {
  bool linear = false;  ///< Codes are light.
  bool srgb = true;     ///< Codes are sRGB; neither: `curves`.
  /// Light, 0 to 1, at kCurveSamples equal steps of codes from 0 to 1, for red, green and blue; grey takes the first.
  std::array<std::vector<float>, 3> curves;
  uint32_t transfer = 0;  ///< For ImageFile::transfer.
  Chromaticities primaries = kRec709Chromaticities;
  bool says_primaries = false;
  std::vector<std::string> warnings;
};

/// What `tags` and the options make of codes. `gray`: there is one colour channel, which has no primaries.
Encoding encoding_of(const ColorTags& tags, const ReadOptions& options, bool gray);

/// Exchanges the 8-bit codes of an sRGB image, which are of `encoding`, for sRGB codes of the same light.
void recode(Image& image, const Encoding& encoding);

/// A float copy, in linear light, of an image of 16-bit codes. The fourth channel is alpha.
Result<Image> decode_wide(const Source& source, const Image& codes, const Encoding& encoding);

/// A float copy, in linear light, of an image of codes 0 to 1 that are floats already. The fourth channel is alpha;
/// codes outside 0..1 are decoded where the curve is sRGB's, and clamped where it is another.
Result<Image> decode_floats(const Source& source, const Image& codes, const Encoding& encoding);

/// Moves what `encoding` says of the image into `file`.
void describe(ImageFile& file, Encoding encoding);

}  // namespace onepass::files
