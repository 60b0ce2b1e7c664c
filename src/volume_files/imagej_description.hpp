// imagej_description.hpp: the description of a TIFF file that ImageJ has written: lines of "key=value".
// Source: ImageJ, ij/io/FileSaver and ij/io/TiffDecoder, version 1.53, 2021.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onepass::volumes {

struct ImagejDescription {
  uint32_t images = 1;  ///< Planes of the file, also those that have no directory.
  uint32_t channels = 1, slices = 1, frames = 1;
  std::optional<double> spacing;   ///< Of slices, in `unit`.
  std::string unit;                ///< As in OME-NGFF: "micrometer"; empty: none that is known.
  std::optional<double> interval;  ///< Of frames, in seconds.
};

/// Empty if `text` is no description of ImageJ.
std::optional<ImagejDescription> parse_imagej(std::string_view text);

/// A unit of OME-NGFF for one of ImageJ or OME-XML: "micrometer" for "um", "\u00B5m" or "micron"; empty if unknown.
std::string length_unit_of(std::string_view text);

}  // namespace onepass::volumes
