// zarr_metadata_parts.hpp: the steps of read_array_metadata() that both versions of Zarr share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "volume_files/json_metadata.hpp"
#include "volume_files/zarr_metadata.hpp"

namespace onepass::zarr {

/// Dimensions in the order in which elements are stored: the last one varies fastest.
using StorageOrder = std::vector<size_t>;

/// The VoxelType of a name of version 2 without byte order ("u2") or of version 3 ("uint16").
std::optional<VoxelType> type_of(std::string_view name);

/// Whether elements in this byte order are swapped on this machine.
bool is_swapped(VoxelType type, bool big_endian);

/// fill_value: a number, "NaN", "Infinity", "-Infinity", or of version 3 the bits of a float as "0x7fc00000". null is
/// 0.
Result<void> take_fill(const Json& value, ArrayMetadata& array);

/// Dimensions from shape and the sizes of chunks.
Result<void> take_shape(const Json& shape, const Json& chunks, ArrayMetadata& array);

/// Strides of a block, of which `order` is stored. Errors: kUnsupported above 1 GiB. `chunks`: the text for the
/// message.
Result<void> lay_out_blocks(const StorageOrder& order, const std::string& chunks, ArrayMetadata& array);

Result<void> read_version_2(const Json& json, ArrayMetadata& array);
Result<void> read_version_3(const Json& json, ArrayMetadata& array);

}  // namespace onepass::zarr
