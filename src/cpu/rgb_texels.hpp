// rgb_texels.hpp: access to images without alpha (RGB) by code that reads and writes texels of four channels.
#pragma once

#include <cstddef>

#include "image/row_rgb.hpp"
#include "onepass/image.hpp"

namespace onepass::cpu {

/// Has the format three channels without padding? Views of such a format stand for the format with alpha.
inline bool is_rgb(Format format) { return image::with_alpha(format) != format; }

/// Bytes of a texel of `view`, in its own format.
inline size_t texel_bytes(const ImageView& view) { return texel_info(view.format).bytes_per_texel; }

/// Texels with alpha: `texels` themselves, or copies of them in `scratch` if `format`, theirs, is RGB.
inline const std::byte* texels_with_alpha(Format format, const std::byte* texels, size_t count, void* scratch) {
  if (!is_rgb(format)) return texels;
  image::add_alpha(format, texels, count, scratch);
  return static_cast<const std::byte*>(scratch);
}

}  // namespace onepass::cpu
