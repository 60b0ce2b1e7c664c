// flat_voxels.hpp: volumes that lie in a file as in memory: x varies fastest, then y, then z.
#pragma once

#include <string>

#include "onepass/volume_stream.hpp"
#include "tiles/file_io.hpp"
#include "volume_files/volume_source.hpp"

namespace onepass::volumes {

/// Copies a box of the volume of `header` whose first voxel is at byte `offset` of an open file, as in
/// VolumeSource::read(). `swapped`: the byte order of the voxels is not the machine's. `name`: for messages.
Result<void> read_flat_voxels(const std::string& name, const tiles::InputHandle& file, uint64_t offset,
                              const VolumeHeader& header, bool swapped, const VolumeBox& box, std::byte* out,
                              size_t row_stride, size_t plane_stride);

}  // namespace onepass::volumes
