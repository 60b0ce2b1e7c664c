// row_rgb.hpp: rows of three channels to rows of four and back.
#pragma once

#include <cstddef>

#include "onepass/image.hpp"

namespace onepass::image {

/// The format of four channels whose first three are those of `format`; `format` itself if it is not RGB. In
/// format.cpp, because the Vulkan engine needs it too.
Format with_alpha(Format format);

/// Copies `texels` texels of an RGB format, adding an alpha of 1; writes nothing beyond them.
void add_alpha(Format rgb, const void* from, size_t texels, void* to);

/// Copies `texels` texels of with_alpha(rgb) without the alpha; writes nothing beyond them.
void drop_alpha(Format rgb, const void* from, size_t texels, void* to);

}  // namespace onepass::image
