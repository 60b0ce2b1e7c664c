// volume_metadata.hpp: the JSON files of an OME-Zarr output.
#pragma once

#include "volume_files/volume_layout.hpp"

namespace onepass::volumes {

/// Writes the metadata of the image and of every level to layout.root. Errors: kIo.
Result<void> write_metadata(const VolumeLayout& layout);

}  // namespace onepass::volumes
