// enlarge.hpp: pictures of a material at the size of the largest of them.
#pragma once

#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cli {

/// A copy of `size`, which is not smaller on any axis, by linear interpolation of decoded values between the middles of
/// texels. Beyond the outermost middles: those of the opposite edge if `wrap`, else the outermost texel.
/// Errors: kOutOfMemory.
[[nodiscard]] Result<Image> enlarged(const ImageView& source, Extent size, bool wrap);

}  // namespace onepass::cli
