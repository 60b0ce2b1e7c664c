// exr_attributes.cpp: which attributes of an OpenEXR header outlive the file, and what it says of primaries.
#include "files/exr_attributes.hpp"

#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfStandardAttributes.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace onepass::files {
namespace {

// Sorted. A file that is written says these anew, or they are no longer true of its pixels.
constexpr std::array<std::string_view, 22> kLeftOut = {
    "acesImageContainerFlag",  // promises a storage and primaries that a new file need not have
    "channels",
    "chromaticities",
    "chunkCount",
    "compression",
    "dataWindow",
    "deepImageState",
    "displayWindow",
    "dwaCompressionLevel",
    "idManifest",  // names of the numbers in integer channels
    "lineOrder",
    "maxSamplesPerPixel",
    "name",
    "oiio:AverageColor",  // of the pixels as they were; readers take the constant colour for the picture
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

bool is_kept(std::string_view name) {
  return !name.starts_with("onepass") && !std::binary_search(kLeftOut.begin(), kLeftOut.end(), name);
}

std::array<double, 2> to_array(const Imath::V2f& point) { return {point.x, point.y}; }

}  // namespace

ExrAttributes::ExrAttributes(const Imf::Header& header) {
  for (auto it = header.begin(); it != header.end(); ++it) {
    if (is_kept(it.name())) entries_.emplace_back(it.name(), it.attribute().copy());
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
