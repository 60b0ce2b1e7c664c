// color.hpp: what the numbers of a colour mean: its primaries, and how it belongs together with alpha.
//
// An image file can hold colours of any primaries, multiplied by alpha or not. Arithmetic on light is right only when
// both are known: luminance weights belong to primaries, averages and blurs want premultiplied colours, tone curves
// want straight ones. onepass::files reports both (files.hpp); this header converts between them.
//
//     const auto matrix = conversion_matrix(kAcesCgChromaticities, kRec709Chromaticities);
//     const ColorConversion change{.from = AlphaAssociation::kPremultiplied, .to = AlphaAssociation::kStraight,
//                                  .matrix = *matrix};
//     auto report = convert_colors(scene, straight, change);
//
// docs/colour.md tells what happens to colours on the way through the program.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// How the colours of an image belong together with its alpha.
enum class AlphaAssociation : uint32_t {
  kNone,           ///< There is no alpha, or the fourth channel is something else: nothing is multiplied or divided.
  kStraight,       ///< Colours are what the surface looks like; alpha says how much of it there is. PNG, WebP, TGA.
  kPremultiplied,  ///< Colours are multiplied by alpha: light as it arrives. EXR. Alpha 0 with a colour is light that
                   ///< adds to what is behind it, a flame for instance.
};

/// CIE 1931 x and y of the primaries and of white.
struct Chromaticities {
  std::array<double, 2> red{};
  std::array<double, 2> green{};
  std::array<double, 2> blue{};
  std::array<double, 2> white{};
  friend bool operator==(const Chromaticities&, const Chromaticities&) = default;
};

/// ITU-R BT.709, also the primaries of sRGB; white D65.
inline constexpr Chromaticities kRec709Chromaticities{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}};
/// ITU-R BT.2020; white D65.
inline constexpr Chromaticities kRec2020Chromaticities{
    {0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}};
/// Display P3 (SMPTE EG 432-1); white D65.
inline constexpr Chromaticities kDisplayP3Chromaticities{
    {0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.3127, 0.3290}};
/// AP1, the primaries of ACEScg (Academy S-2014-004); white about D60.
inline constexpr Chromaticities kAcesCgChromaticities{
    {0.713, 0.293}, {0.165, 0.830}, {0.128, 0.044}, {0.32168, 0.33767}};
/// AP0, the primaries of ACES2065-1 (SMPTE ST 2065-1); white about D60.
inline constexpr Chromaticities kAces2065Chromaticities{
    {0.7347, 0.2653}, {0.0, 1.0}, {0.0001, -0.0770}, {0.32168, 0.33767}};

/// Equal to within 0.001 in every coordinate: files round, and write the same primaries with three to six digits.
[[nodiscard]] ONEPASS_API bool same_chromaticities(const Chromaticities& a, const Chromaticities& b);

/// Rows of a matrix that is multiplied with a column of red, green and blue.
using ColorMatrix = std::array<std::array<double, 3>, 3>;

/// The matrix from linear light in one set of primaries to CIE XYZ, with Y of white 1.
/// Errors: kInvalidArgument for coordinates that are no set of primaries (y of 0, all on one line, not finite).
[[nodiscard]] ONEPASS_API Result<ColorMatrix> xyz_matrix(const Chromaticities& primaries);

/// The matrix from linear light in primaries `from` to `to`. White stays white: where the whites differ, colours are
/// adapted by the Bradford transform. Out-of-gamut colours have negative channels; nothing is clipped.
/// Source: B. Lindbloom, "Chromatic Adaptation"; ICC.1:2022, annex E.
/// Errors: those of xyz_matrix().
[[nodiscard]] ONEPASS_API Result<ColorMatrix> conversion_matrix(const Chromaticities& from, const Chromaticities& to);

/// What convert_colors() does to each texel, in this order: divides by alpha, applies the matrix, multiplies by alpha,
/// puts a background behind.
struct ColorConversion {
  AlphaAssociation from = AlphaAssociation::kNone;  ///< Of the source. kNone: alpha is left alone, `to` is not used.
  AlphaAssociation to = AlphaAssociation::kNone;    ///< Of the target. kNone: as `from`.

  /// Applied to images of three and four channels; others have no colour to convert.
  std::optional<ColorMatrix> matrix{};

  /// Colours with alpha 0 keep their value in either direction. Set it on the way back from a step that wanted
  /// straight colours, so that emission survives both ways. Otherwise multiplying by an alpha of 0 leaves 0.
  bool keep_emission = false;

  /// Linear light behind the image, in the primaries of the target: the result is opaque, alpha 1. None: no change.
  std::optional<std::array<float, 3>> background{};
};

/// What convert_colors() met.
struct ColorReport {
  /// Texels of a premultiplied source with alpha 0 and a colour, which straight colours cannot show: their colour is
  /// stored unchanged, but any program that multiplies by alpha makes it black.
  uint64_t emissive_texels = 0;
};

/// Converts every texel of all slices, in linear light (sRGB formats are decoded and encoded). Source and target have
/// the same size and slices, any formats but depth ones; they may be the same image where formats have the same number
/// of bytes a texel. Straight colours beyond the range of a half or float target become its largest finite value; NaN
/// stays NaN.
/// Cost: reads the source once, writes the target once. Threads: any number of calls at once; `threads` of this one,
/// 0 = all the machine has.
/// Errors: kInvalidArgument when views do not fit each other, kOutOfMemory.
[[nodiscard]] ONEPASS_API Result<ColorReport> convert_colors(const ImageView& source, const MutableImageView& target,
                                                             const ColorConversion& conversion, uint32_t threads = 0);

}  // namespace onepass
