// ome_xml.hpp: the facts of OME-XML, in the description of an OME-TIFF file, that its reader needs.
// Source: Open Microscopy Environment, "OME Model and File Formats", version 2016-06.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onepass::files {

/// Pages that hold planes: `count` of them from page `ifd` on, beginning with the plane of `z`, `c` and `t`.
struct OmeTiffData {
  uint32_t ifd = 0, z = 0, c = 0, t = 0;
  std::optional<uint32_t> count;  ///< None: one, or all if no page is stated.
  bool has_ifd = false;
};

struct OmePixels {
  uint32_t channels = 1, depth = 1, times = 1;  ///< SizeC, SizeZ, SizeT
  std::string order;                            ///< DimensionOrder, for example XYCZT
  std::optional<double> pixel_width_um, pixel_height_um, voxel_depth_um;
  std::optional<double> time_step;  ///< TimeIncrement
  std::string time_unit;            ///< Its unit as OME writes it: "s"; "s" if none is stated.
  std::vector<OmeTiffData> tiff_data;
  bool has_more_files = false;  ///< TiffData names more than one file.
  std::vector<std::string> channel_names;
  uint32_t images = 0;  ///< Number of Image elements; the facts are those of the first.

  /// Number of the page that holds channel `c` at depth 0 and time 0, if a page holds `samples` channels.
  [[nodiscard]] uint32_t page_of(uint32_t c, uint32_t samples) const;
};

/// Empty if `text` is no OME-XML with a Pixels element.
std::optional<OmePixels> parse_ome(std::string_view text);

}  // namespace onepass::files
