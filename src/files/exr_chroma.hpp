// exr_chroma.hpp: luminance and chroma to red, green and blue. A file in luminance and chroma stores
//
//     Y = wr R + wg G + wb B,    RY = (R - Y) / Y,    BY = (B - Y) / Y,
//
// w being the luminance of each primary; RY and BY may be subsampled, one value for 2x2 pixels.
#pragma once

#include "files/readers.hpp"

namespace onepass::files {

/// Replaces RY, Y and BY, the first three channels of a float or half image, by R, G and B, by the definition, in
/// double precision before it is rounded. The fourth channel is left alone. `primaries` have passed xyz_matrix().
/// Errors: kBadData for primaries whose green has no luminance.
Result<void> colour_from_chroma(const Source& source, Image& image, const Chromaticities& primaries);

/// The same for an image that holds Y in its second channel, and an image of half as many columns and rows,
/// kRG16Sfloat, that holds RY and BY. OpenEXR's own row functions interpolate chroma and desaturate what they
/// oversaturate: a half image gets the very values that Imf::RgbaInputFile gives. Those functions know half only; a
/// float image gets their colours at the luminance that the file stores, so that luminance keeps 32 bits and any range.
/// Width and height of the image are even.
Result<void> colour_from_subsampled_chroma(const Source& source, Image& image, const Image& chroma,
                                           const Chromaticities& primaries);

}  // namespace onepass::files
