// pixel_layout.hpp: what a picture states about itself; its pixels are stored as in files/pixel_layout.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/encoding.hpp"
#include "files/pixel_layout.hpp"

namespace onepass::tiles {

using files::CopiedTag;
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

/// Statements of a picture that outputs pass on.
struct PictureTags {
  files::ColorTags colors{.numbers = true};  ///< As the file states them, without the profile.
  std::vector<std::byte> icc;
  std::optional<Chromaticities> primaries;  ///< Of the rows, if not those of BT.709.
  uint32_t orientation = 1;                 ///< EXIF: 1 upright to 8.
  std::optional<Resolution> resolution;
  std::vector<CopiedTag> geo;              ///< GeoTIFF and GDAL tags.
  std::string nodata;                      ///< GDAL_NODATA.
  std::vector<std::string> channel_names;  ///< Empty, or one per channel.
  std::optional<double> pixel_width_um;    ///< Micrometres, from OME metadata or a slide.
  std::optional<double> pixel_height_um;
  std::vector<std::string> warnings;  ///< Statements that are not used, one clause each.
};

}  // namespace onepass::tiles
