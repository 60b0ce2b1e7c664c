// volume_viewer.hpp: the web page beside an output, which reads the output and shows slices of it.
#pragma once

#include "volume_files/volume_layout.hpp"

namespace onepass::volumes {

std::filesystem::path volume_viewer_path(const VolumeFileOptions& options);  ///< NAME.html beside NAME.zarr.

/// The page. It needs no other file than the output and no network but the server that it comes from.
std::string volume_viewer_page(const VolumeFileOptions& options);

/// Refuses to replace anything but a page of volume_viewer_page() for this output. Errors: kIo.
Result<void> check_old_volume_viewer(const VolumeFileOptions& options);

}  // namespace onepass::volumes
