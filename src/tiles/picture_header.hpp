// picture_header.hpp: what a picture states about itself and how its pixels are stored, both as in src/files.
#pragma once

#include <cstdint>

#include "files/row_reader.hpp"

namespace onepass::tiles {

using files::CopiedTag;
using files::PictureHeader;
using files::PixelLayout;
using files::Resolution;
using files::Sample;

/// The transfer curve of the values, as the source states it.
enum class Transfer {
  kUnknown,  ///< Decided by the kind of the picture, see plan_output().
  kSrgb,     ///< Colours encoded by sRGB.
  kLinear,   ///< Light, or numbers that are no colours.
};

/// The largest width and height in pixels.
inline constexpr uint32_t kMaxEdge = 0x7FFFFFFF;

}  // namespace onepass::tiles
