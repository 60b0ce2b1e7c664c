// cmyk.hpp: converts CMYK pixels to sRGB, by an ICC profile or by a simple formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "onepass/image.hpp"

namespace onepass::files {

/// What the quantised values of an ink stand for.
enum class InkPolarity {
  kAmount,    ///< 0 is paper, the largest value full ink: TIFF.
  kInverted,  ///< The largest value is paper: JPEG, with and without Adobe's marker.
};

/// Upper bound of the bytes that inks_to_srgb() allocates for a profile of this size.
uint64_t inks_bytes(uint64_t profile_size);

/// Converts an image of cyan, magenta, yellow and black, 8 or 16 bits each, to sRGB with alpha 1, in place. With a
/// usable CMYK profile: relative colorimetric, with black point compensation. Otherwise R = (1 - C)(1 - K) and so on,
/// and a text in `warnings` says so. Throws std::bad_alloc.
void inks_to_srgb(Image& image, std::span<const std::byte> profile, InkPolarity codes,
                  std::vector<std::string>& warnings);

}  // namespace onepass::files
