// texture_error.hpp: compares a stored level with what it was made of, and draws where they differ.
#pragma once

#include <cstdint>

#include "canvas.hpp"
#include "onepass/image.hpp"

namespace onepass::cli {

/// What the texels mean, and so the unit of their error.
enum class TexelMeaning {
  kCodes,    ///< Colours and data: steps of 8 bits.
  kNormals,  ///< Degrees between vectors.
  kLight,    ///< Half floats: stops, |log2| of the ratio.
};

/// The error of a level.
struct TextureError {
  TexelMeaning meaning = TexelMeaning::kCodes;
  double mean = 0;     ///< Root mean square of codes, mean of degrees and stops.
  double largest = 0;  ///< Codes, degrees, stops.
  Pixels heat;         ///< The root mean square of what each pixel covers; scale_end() is its brightest colour.
};

/// PSNR in dB of an error in codes; infinity for none.
[[nodiscard]] double psnr(const TextureError& error);

/// The error that has the brightest colour, and the colour of a share of it, 0 to 1: black, violet, red, yellow, white.
[[nodiscard]] double scale_end(TexelMeaning meaning);
[[nodiscard]] Rgb heat_colour(double share);

/// Compares the first `channels` channels of one slice (kNormals: vectors; kLight: 3). Both have the same size, which
/// `heat` is not larger than. `srgb`: codes are those of sRGB. Colours of four channels count by the source's alpha.
[[nodiscard]] TextureError compare_texels(const ImageView& source, const ImageView& stored, TexelMeaning meaning,
                                          uint32_t channels, bool srgb, Extent heat);

}  // namespace onepass::cli
