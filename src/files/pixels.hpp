// pixels.hpp: the sRGB transfer function, and formats by channel count and encoding.
#pragma once

#include <cstdint>
#include <span>

#include "onepass/image.hpp"

namespace onepass::files {

/// The sRGB transfer function of IEC 61966-2-1 in double precision: encoded to linear and back. Both are odd functions.
double srgb_to_linear(double encoded);
double linear_to_srgb(double linear);

/// The format without sRGB, with the same bits: kR8Srgb becomes kR8Unorm, and so on; others stay.
Format without_srgb(Format format);
/// The reverse; formats without an sRGB counterpart stay.
Format with_srgb(Format format);

/// Format for a file's 8-bit values, sRGB-encoded or linear. `gray`: one colour channel, no alpha. Readers fill all
/// channels of the format: with four, R, G and B hold gray and alpha is 1.
Format unorm8_format(bool gray, bool linear);

/// 16-bit UNORM, half or float format of 1, 2 or 4 channels; 3 give 4.
Format unorm16_format(uint32_t channels);
Format half_format(uint32_t channels);
Format float_format(uint32_t channels);

/// Reverses the bytes of each sample.
void reverse_bytes(std::span<std::byte> samples, size_t sample_bytes);

/// A 32-bit float copy of `image`, whose stored values are taken as sRGB and decoded to linear light; same channel
/// count, slices and size. The fourth channel is alpha and is not decoded.
Result<Image> decoded_from_srgb(const ImageView& image);

}  // namespace onepass::files
