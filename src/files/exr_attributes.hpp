// exr_attributes.hpp: attributes of an OpenEXR header that describe the picture, not its storage.
#pragma once

#include <OpenEXR/ImfAttribute.h>
#include <OpenEXR/ImfHeader.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "onepass/files.hpp"

namespace onepass::files {

/// Copies of a header's attributes, of known and unknown types.
class ExrAttributes {
 public:
  /// Copies the attributes that stay valid when the pixels are filtered, resized or stored in another way. Left out:
  /// the description of the storage (channels, compression, windows, tiles, part name, preview, ...), values computed
  /// from the pixels, chromaticities, for which ImageFile and ExrOptions have fields, and onepass's own attributes
  /// (names that start with "onepass"). The copies take as much memory as the header.
  explicit ExrAttributes(const Imf::Header& header);

  /// Adds the attributes to the header of a file to be written.
  void insert_into(Imf::Header& header) const;

 private:
  std::vector<std::pair<std::string, std::unique_ptr<Imf::Attribute>>> entries_;
};

/// Stores the header's primaries in `file`: those of the attribute chromaticities, or AP0 for an ACES container without
/// it. Invalid chromaticities are ignored, with a warning.
void describe_primaries(const Imf::Header& header, ImageFile& file);

}  // namespace onepass::files
