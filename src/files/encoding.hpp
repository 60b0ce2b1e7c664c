// encoding.hpp: determines from a file's chunks, tags and profile how its stored values become linear light.
//
// A reader collects the file's statements in ColorTags, calls encoding_of() once, and decodes by the result: 8-bit
// values with another curve than sRGB are replaced by sRGB values (recode), 16-bit values become linear floats
// (decode_wide).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/readers.hpp"

namespace onepass::files {

/// What a file states about its colours. Precedence: code points, profile, srgb, then the others.
struct ColorTags {
  std::optional<std::array<uint8_t, 2>> code_points;  ///< Primaries and transfer by ITU-T H.273 (PNG: cICP).
  std::vector<std::byte> icc;                         ///< Empty: no ICC profile.
  bool srgb = false;                                  ///< The format's own mark for sRGB.
  std::optional<Chromaticities> primaries;            ///< PNG: cHRM. TIFF: PrimaryChromaticities, WhitePoint.
  std::optional<double> gamma;                        ///< Stored values are light to the power 1 / gamma.
  bool numbers = false;  ///< Without a statement, values are numbers, linear; otherwise sRGB colours.
};

/// How stored values become linear light.
struct Encoding {
  bool linear = false;  ///< Stored values are linear.
  bool srgb = true;     ///< Stored values are sRGB; if neither: `curves`.
  /// Light, 0 to 1, at kCurveSamples equally spaced values from 0 to 1, for red, green and blue; grey uses the first.
  std::array<std::vector<float>, 3> curves;
  uint32_t transfer = 0;  ///< For ImageFile::transfer.
  Chromaticities primaries = kRec709Chromaticities;
  bool says_primaries = false;
  std::vector<std::string> warnings;
};

/// The encoding that follows from `tags` and the options. `gray`: the image has one colour channel, without primaries.
Encoding encoding_of(const ColorTags& tags, const ReadOptions& options, bool gray);

/// Replaces the 8-bit values of an image, which have `encoding`, by sRGB values of the same light.
void recode(Image& image, const Encoding& encoding);

/// A float copy in linear light of an image of 16-bit values. The fourth channel is alpha.
Result<Image> decode_wide(const Source& source, const Image& codes, const Encoding& encoding);

/// A float copy in linear light of an image of encoded floats, nominally 0 to 1. The fourth channel is alpha. Values
/// outside 0..1 are decoded if the curve is sRGB or linear, and clamped for other curves.
Result<Image> decode_floats(const Source& source, const Image& codes, const Encoding& encoding);

/// Moves the statements of `encoding` into `file`.
void describe(ImageFile& file, Encoding encoding);

}  // namespace onepass::files
