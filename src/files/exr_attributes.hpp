// exr_attributes.hpp: what the header of an OpenEXR part says of the picture rather than of how it is stored.
#pragma once

#include <OpenEXR/ImfAttribute.h>
#include <OpenEXR/ImfHeader.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "onepass/files.hpp"

namespace onepass::files {

/// Copies of attributes of a header, of known and unknown types.
class ExrAttributes {
 public:
  /// Copies the attributes that stay true of the picture when its pixels are filtered, resized or stored in another
  /// way. Left out: what describes the storage (channels, compression, windows, tiles, part name, preview...), what is
  /// computed from the pixels, chromaticities, for which ImageFile and ExrOptions have fields of their own, and what
  /// onepass writes itself (names that start with "onepass"). The copies take as much memory as
  /// the header.
  explicit ExrAttributes(const Imf::Header& header);

  /// Adds the attributes to the header of a file to be written.
  void insert_into(Imf::Header& header) const;

 private:
  std::vector<std::pair<std::string, std::unique_ptr<Imf::Attribute>>> entries_;
};

/// The primaries that the header names into `file`: those of the attribute chromaticities; AP0 for an ACES container
/// without it. Chromaticities that are no primaries give a warning and count as none.
void describe_primaries(const Imf::Header& header, ImageFile& file);

}  // namespace onepass::files
