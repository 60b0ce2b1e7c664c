// zarr_paths.hpp: names of the files of an output, which its layout decides.
#pragma once

#include <filesystem>

#include "volume_files/block_plan.hpp"

namespace onepass::volumes {

/// The file of a shard, or of a chunk where files hold one chunk each. `place`: its number per axis, in x, y, z.
///
///     Zarr 3   LEVEL/c/T/C/Z/Y/X     (chunk_key_encoding default)
///     Zarr 2   LEVEL/T/C/Z/Y/X       (dimension_separator /)
///
/// without T and C where the output has no such axis.
std::filesystem::path chunk_path(const VolumeLayout& layout, uint32_t volume, uint32_t level, const VolumeSize& place);

/// Has the output an axis of times, or of channels?
bool has_time_axis(const VolumeLayout& layout);
bool has_channel_axis(const VolumeLayout& layout);

/// The file with the unrounded numbers of the last level of a block; later passes read it.
std::filesystem::path kept_path(const VolumeLayout& layout, const Pass& pass, uint32_t number);

/// What a line of the journal states of a block: the number of its files that are there, their bytes, and a checksum of
/// their names and sizes. Chunks of zeros have no file.
std::string files_text(const VolumeLayout& layout, const Pass& pass, const Block& block);

}  // namespace onepass::volumes
