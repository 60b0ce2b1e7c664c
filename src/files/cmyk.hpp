// cmyk.hpp: pixels of four inks become colours, by an ICC profile or plainly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "onepass/image.hpp"

namespace onepass::files {

/// What the codes of an ink say.
enum class InkCodes {
  kAmount,    ///< 0 is paper, the largest code full ink: TIFF.
  kInverted,  ///< The largest code is paper: JPEG files of Adobe's.
};

/// The most memory that inks_to_srgb() takes for a profile of this size.
uint64_t inks_bytes(uint64_t profile_size);

/// Turns an image whose four channels are cyan, magenta, yellow and black, of 8 or 16 bits, into sRGB codes with alpha
/// 1, in place. With a usable profile of inks: relative colorimetric, with black point compensation. Without: light is
/// paper that inks take their share from, (1 - cyan) (1 - black) and so on, which `warnings` then says.
/// Throws std::bad_alloc.
void inks_to_srgb(Image& image, std::span<const std::byte> profile, InkCodes codes, std::vector<std::string>& warnings);

}  // namespace onepass::files
