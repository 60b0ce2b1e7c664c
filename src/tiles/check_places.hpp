// check_places.hpp: whether a run may write where its options say. Nothing of the user's is replaced or deleted: no
// input, and no file or directory that was not named as the output, unless an earlier run made it for this output.
#pragma once

#include <filesystem>
#include <string>

#include "onepass/tiles.hpp"

namespace onepass::tiles {

/// Refuses outputs that are inputs, hold inputs or lie in them; see files::find_output_conflict(). Inputs are all files
/// of a grid, all links of an OME-Zarr directory, and the directory of data beside a .mrxs file.
/// Errors: kInvalidArgument.
Result<void> check_inputs(const TileOptions& options);

/// Refuses places that cannot be replaced, and NAME_files, NAME.html and NAME.zarr that no earlier run has made for
/// this output, or that hold anything else. A shard replaces nothing: it does not look into directories. Errors: kIo.
Result<void> check_places(const TileOptions& options);

/// The files of an output besides TileOptions::output.
std::filesystem::path tiles_directory(const TileOptions& options);  ///< DeepZoom: NAME_files.
std::filesystem::path viewer_path(const TileOptions& options);      ///< DeepZoom: NAME.html.

}  // namespace onepass::tiles
