// color.hpp: the meaning of colour values: their primaries, and their association with alpha.
//
// The colours of an image file can have any primaries and can be multiplied by alpha or not. Arithmetic on light needs
// both facts: luminance weights depend on the primaries, averages and blurs need premultiplied colours, and tone curves
// need straight colours. onepass::files reports both facts (files.hpp); this header converts colours.
//
//     const auto matrix = conversion_matrix(kAcesCgChromaticities, kRec709Chromaticities);
//     const ColorConversion change{.from = AlphaAssociation::kPremultiplied, .to = AlphaAssociation::kStraight,
//                                  .matrix = *matrix};
//     auto report = convert_colors(scene, straight, change);
//
// docs/colour.md describes how the program converts colours at each step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Whether the colours of an image are multiplied by its alpha.
enum class AlphaAssociation : uint32_t {
  kNone,           ///< There is no alpha, or the fourth channel is not alpha: nothing is multiplied or divided.
  kStraight,       ///< Colours are those of the surface, alpha is its coverage. PNG, WebP, TGA.
  kPremultiplied,  ///< Colours are multiplied by alpha: the light that arrives. EXR. A colour with alpha 0 is light
                   ///< added to the background, for example a flame.
};

/// CIE 1931 x and y of the three primaries and of the white point.
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

/// CIE XYZ itself: "red" is X, "green" Y, "blue" Z, white has X = Y = Z. Pixels are the colours that an instrument
/// measures, not colours relative to a white.
inline constexpr Chromaticities kXyzChromaticities{{1, 0}, {0, 1}, {0, 0}, {1.0 / 3, 1.0 / 3}};

/// Whether all coordinates are equal to within 0.001. Files round: they store the same primaries with three to six
/// digits.
[[nodiscard]] ONEPASS_API bool same_chromaticities(const Chromaticities& a, const Chromaticities& b);

/// The rows of a matrix that multiplies a column vector of red, green and blue.
using ColorMatrix = std::array<std::array<double, 3>, 3>;

/// The matrix from linear light in the given primaries to CIE XYZ, scaled so that white has Y = 1.
/// Errors: kInvalidArgument if the coordinates define no colour space: the y of white is not above 0, the primaries lie
/// on one line, or a coordinate is not finite.
[[nodiscard]] ONEPASS_API Result<ColorMatrix> xyz_matrix(const Chromaticities& primaries);

/// The matrix from linear light in primaries `from` to primaries `to`. White maps to white: if the white points differ,
/// the Bradford transform adapts the colours. If one of both is kXyzChromaticities (to within 0.001), nothing is
/// adapted, because X = Y = Z is no white that a scene is seen under: the matrix is then that of xyz_matrix(), or its
/// inverse. Colours outside the target gamut get negative channels; nothing is clipped.
/// Source: B. Lindbloom, "Chromatic Adaptation"; ICC.1:2022, annex E.
/// Errors: those of xyz_matrix().
[[nodiscard]] ONEPASS_API Result<ColorMatrix> conversion_matrix(const Chromaticities& from, const Chromaticities& to);

/// The steps of convert_colors() for each texel, in this order: divide by alpha, apply the matrix, multiply by alpha,
/// blend over a background.
struct ColorConversion {
  AlphaAssociation from = AlphaAssociation::kNone;  ///< Source. kNone: alpha is not touched and `to` is not used.
  AlphaAssociation to = AlphaAssociation::kNone;    ///< Target. kNone: same as `from`.

  /// Applied to images with three or four channels; others have no colour to convert.
  std::optional<ColorMatrix> matrix{};

  /// Colours with alpha 0 are not multiplied by alpha. Set it when you convert back to premultiplied after a step that
  /// needed straight colours: emission then survives the round trip. By default these colours become 0.
  bool keep_emission = false;

  /// Linear light behind the image, in the primaries of the target. The result is opaque (alpha 1). No value: no
  /// background.
  std::optional<std::array<float, 3>> background{};
};

/// Observations of convert_colors().
struct ColorReport {
  /// Texels of a premultiplied source that have alpha 0 and a colour, counted if the target is straight. A straight
  /// colour cannot represent them: the colour is stored unchanged, but a program that multiplies it by alpha gets
  /// black.
  uint64_t emissive_texels = 0;
};

/// Converts every texel of all slices in linear light: sRGB formats are decoded and encoded. Source and target have the
/// same size and number of slices. The source can have any format, the target any format except depth. They may be the
/// same image if both formats have the same number of bytes per texel. After the division by alpha, values beyond the
/// range of a half or float target become its largest finite value; NaN stays NaN.
/// Cost: reads the source once, writes the target once.
/// Threads: any number of calls at once. Each call uses at most `threads` threads; 0 = usable_threads().
/// Errors: kInvalidArgument if the views do not match each other or a format is not allowed; kOutOfMemory.
[[nodiscard]] ONEPASS_API Result<ColorReport> convert_colors(const ImageView& source, const MutableImageView& target,
                                                             const ColorConversion& conversion, uint32_t threads = 0);

}  // namespace onepass
