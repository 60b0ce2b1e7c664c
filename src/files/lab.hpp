// lab.hpp: converts CIE L*a*b* pixels to sRGB.
#pragma once

#include "onepass/image.hpp"

namespace onepass::files {

/// Converts an image whose first three channels are L*, a* and b* to sRGB, 8 or 16 bits each, in place. L* is 0 to the
/// largest value for 0 to 100; a* and b* are signed numbers, of 16 bits in units of 1/256 (TIFF 6.0, section 23). Their
/// white is D50 by the practice of print, and becomes the white of sRGB (Bradford). Colours outside sRGB are limited.
void lab_to_srgb(Image& image);

}  // namespace onepass::files
