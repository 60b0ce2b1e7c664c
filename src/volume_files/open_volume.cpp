// open_volume.cpp: which source reads an input.
#include "volume_files/volume_source.hpp"

namespace onepass::volumes {

Result<VolumeSourcePtr> open_volume(const VolumeInput& input, tiles::WorkerPool& /*pool*/) {
  if (!input.raw.empty()) return open_raw_volume(input.path, input.raw);
  return Error{ErrorCode::kUnsupported, "is of an unknown type", input.path.string()};
}

}  // namespace onepass::volumes
