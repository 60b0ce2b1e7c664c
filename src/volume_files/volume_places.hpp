// volume_places.hpp: whether a run may write where its options say; see tiles/check_places.hpp.
#pragma once

#include "volume_files/volume_layout.hpp"

namespace onepass::volumes {

/// Refuses outputs that are inputs, hold inputs or lie in them. Inputs are all links of a directory, and all files of
/// planes. Errors: kInvalidArgument.
Result<void> check_volume_inputs(const VolumeFileOptions& options);

/// Refuses places that cannot be replaced, and directories that no earlier run has made for this output, or that hold
/// anything else, and pages that show something else. Errors: kIo.
Result<void> check_volume_places(const VolumeFileOptions& options);

}  // namespace onepass::volumes
