// pixels.hpp: the arithmetic between what files store and what images hold: sRGB, unpacking, formats by channel count.
#pragma once

#include <cstdint>
#include <span>

#include "onepass/image.hpp"

namespace onepass::files {

/// The sRGB transfer function of IEC 61966-2-1 in double precision: encoded to linear and back. Odd outside 0..1.
double srgb_to_linear(double encoded);
double linear_to_srgb(double linear);

/// The format without sRGB, same bits: kR8Srgb becomes kR8Unorm and kRGBA8Srgb kRGBA8Unorm, others stay.
Format without_srgb(Format format);
/// The way back: others stay, as they have no sRGB twin.
Format with_srgb(Format format);

/// What 8-bit codes of a file become, sRGB-encoded or linear. `gray`: one colour channel, no alpha. Readers fill as
/// many channels as the format has: gray in R, G and B with alpha 1 where it has four.
Format codes8_format(bool gray, bool linear);

/// 16-bit UNORM, half or float format of 1, 2 or 4 channels; 3 give 4.
Format unorm16_format(uint32_t channels);
Format half_format(uint32_t channels);
Format float_format(uint32_t channels);

/// A 32-bit float copy of `image` whose stored values are taken as sRGB-encoded and decoded to linear light; same
/// channel count, slices and size. The fourth channel is alpha and is not decoded.
Result<Image> decoded_from_srgb(const ImageView& image);

}  // namespace onepass::files
