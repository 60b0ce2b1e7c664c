// exr_chroma.hpp: converts luminance and chroma to red, green and blue. A luminance/chroma file stores
//
//     Y = wr R + wg G + wb B,    RY = (R - Y) / Y,    BY = (B - Y) / Y,
//
// where w is the luminance of each primary. RY and BY may be subsampled, one value per 2x2 pixels.
#pragma once

#include "files/readers.hpp"

namespace onepass::files {

/// Replaces RY, Y and BY, the first three channels of a float or half image, by R, G and B: the definition in double
/// precision, then rounded. The fourth channel is unchanged. `primaries` have passed xyz_matrix(). Errors: kBadData for
/// primaries whose green has no luminance.
Result<void> colour_from_chroma(const Source& source, Image& image, const Chromaticities& primaries);

/// The same for an image that holds Y in its second channel, and a kRG16Sfloat image of half the width and height that
/// holds RY and BY. OpenEXR's row functions interpolate chroma and desaturate where that oversaturates. A half image
/// gets exactly the values of Imf::RgbaInputFile. These functions support half only: a float image gets their colours,
/// scaled to the luminance in the file, so that luminance keeps 32 bits and any range. Width and height are even.
Result<void> colour_from_subsampled_chroma(const Source& source, Image& image, const Image& chroma,
                                           const Chromaticities& primaries);

}  // namespace onepass::files
