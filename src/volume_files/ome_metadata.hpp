// ome_metadata.hpp: the base of an OME-Zarr image, versions 0.1 to 0.6, and what its metadata say of it.
// Source: "Next-generation file formats (NGFF)", versions 0.4, 2022, 0.5, 2024, and 0.6, 2026.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/result.hpp"
#include "volume_files/json_metadata.hpp"
#include "volume_files/zarr_metadata.hpp"

namespace onepass::zarr {

struct OmeAxis {
  enum class Kind { kTime, kChannel, kSpace, kOther };
  std::string name;
  Kind kind = Kind::kOther;
  std::string unit;        ///< Empty: not stated.
  double scale = 1;        ///< From element to element, in `unit`.
  double translation = 0;  ///< Of element 0.
};

struct OmeImage {
  ArrayMetadata array;        ///< The first level of the first multiscale image, or an array without metadata of OME.
  std::vector<OmeAxis> axes;  ///< One per dimension.
  bool has_scale = false;     ///< Whether scales are stated.
  std::string name;
  std::vector<std::string> channel_names;  ///< One per channel of omero; a name may be empty.
  Json omero;                              ///< Null if there is none.
  Json image_label;

  /// The names of all axes, for a message.
  [[nodiscard]] std::string axis_names() const;
};

/// Micrometres of a unit of NGFF: "nanometer" is 0.001. None if it is no known length.
std::optional<double> micrometres(std::string_view unit);

/// Reads the metadata of the directory `root`, of `site` unless that is null.
/// Errors: kNotFound, kIo, kBadData, kUnsupported, with the file as context.
Result<OmeImage> read_ome_image(const std::filesystem::path& root, const remote::SitePtr& site = nullptr);

}  // namespace onepass::zarr
