// encoding.hpp: determines from a file's chunks, tags and profile how its stored values become linear light.
//
// A reader collects the file's statements in ColorTags, calls encoding_of() once, and decodes by the result: 8-bit
// values with another curve than sRGB are replaced by sRGB values (recode); 16-bit values, and PQ and HLG signals of
// any depth, whose light exceeds 1, become linear floats (decode_wide).
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

/// Signals of BT.2100, whose light is that of a display. Reference white, 203 cd/m2 by BT.2408, is 1.
enum class HdrSignal {
  kNone,
  kPq,   ///< 0 to 10000 cd/m2.
  kHlg,  ///< As a display of 1000 cd/m2 with system gamma 1.2 shows it.
};

/// How stored values become linear light.
struct Encoding {
  bool linear = false;                  ///< Stored values are linear.
  bool srgb = true;                     ///< Stored values are sRGB; if neither: `signal` or `curves`.
  HdrSignal signal = HdrSignal::kNone;  ///< Not kNone: linear and srgb are false, there are no curves.
  /// Light, 0 to 1, at kCurveSamples equally spaced values from 0 to 1, for red, green and blue; grey uses the first.
  std::array<std::vector<float>, 3> curves;
  uint32_t transfer = 0;  ///< For ImageFile::transfer.
  Chromaticities primaries = kRec709Chromaticities;
  bool says_primaries = false;
  std::vector<std::string> warnings;
};

/// The encoding that follows from `tags` and the options. `gray`: the image has one colour channel, without primaries.
Encoding encoding_of(const ColorTags& tags, const ReadOptions& options, bool gray);

/// Whether decode_wide() makes floats of stored values of `bits`.
bool becomes_float(const Encoding& encoding, uint32_t bits);

/// Replaces the 8-bit values of an image, which have `encoding`, by sRGB values of the same light.
void recode(Image& image, const Encoding& encoding);

/// The sRGB values of the same light for the stored values 0 to `most`, 255 or 65535, of a colour channel.
std::vector<uint16_t> srgb_codes(const Encoding& encoding, size_t channel, uint32_t most);

/// A float copy in linear light of an image of 8- or 16-bit values. The fourth channel is alpha.
Result<Image> decode_wide(const Source& source, const Image& codes, const Encoding& encoding);

/// A float copy in linear light of an image of encoded floats, nominally 0 to 1. The fourth channel is alpha. Values
/// outside 0..1 are decoded if the curve is sRGB or linear, and clamped for other curves; NaN stays.
Result<Image> decode_floats(const Source& source, const Image& codes, const Encoding& encoding);

/// Moves the statements of `encoding` into `file`.
void describe(ImageFile& file, Encoding encoding);

}  // namespace onepass::files
