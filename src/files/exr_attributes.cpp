// exr_attributes.cpp: selects the attributes of an OpenEXR header to copy, and reads its primaries.
#include "files/exr_attributes.hpp"

#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfStandardAttributes.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace onepass::files {
namespace {

// Sorted. A writer sets these anew, or they are not valid for new pixels.
constexpr std::array<std::string_view, 22> kLeftOut = {
    "acesImageContainerFlag",  // asserts a storage and primaries that a new file may not have
    "channels",
    "chromaticities",
    "chunkCount",
    "compression",
    "dataWindow",
    "deepImageState",
    "displayWindow",
    "dwaCompressionLevel",
    "idManifest",  // names of the values in integer channels
    "lineOrder",
    "maxSamplesPerPixel",
    "name",
    "oiio:AverageColor",  // of the old pixels; readers show the constant colour instead of the pixels
    "oiio:ConstantColor",
    "oiio:SHA-1",
    "pixelAspectRatio",
    "preview",
    "tiles",
    "type",
    "version",
    "zipCompressionLevel",
};
static_assert(std::is_sorted(kLeftOut.begin(), kLeftOut.end()));

bool is_intermediate(std::string_view name) {
  return !name.starts_with("onepass") && !std::binary_search(kLeftOut.begin(), kLeftOut.end(), name);
}

std::array<double, 2> to_array(const Imath::V2f& point) { return {point.x, point.y}; }

}  // namespace

ExrAttributes::ExrAttributes(const Imf::Header& header) {
  for (auto it = header.begin(); it != header.end(); ++it) {
    if (is_intermediate(it.name())) entries_.emplace_back(it.name(), it.attribute().copy());
  }
}

void ExrAttributes::insert_into(Imf::Header& header) const {
  for (const auto& [name, attribute] : entries_) header.insert(name, *attribute);
}

void describe_primaries(const Imf::Header& header, ImageFile& file) {
  if (!Imf::hasChromaticities(header)) {
    const auto* flag = header.findTypedAttribute<Imf::IntAttribute>("acesImageContainerFlag");
    if (flag == nullptr || flag->value() != 1) return;
    file.primaries = kAces2065Chromaticities;
    file.says_primaries = true;
    return;
  }
  const Imf::Chromaticities& stored = Imf::chromaticities(header);
  const Chromaticities named{to_array(stored.red), to_array(stored.green), to_array(stored.blue),
                             to_array(stored.white)};
  if (const auto matrix = xyz_matrix(named); !matrix) {
    file.warnings.push_back(matrix.error().message + "; BT.709 was taken for granted");
    return;
  }
  file.primaries = named;
  file.says_primaries = true;
}

}  // namespace onepass::files
