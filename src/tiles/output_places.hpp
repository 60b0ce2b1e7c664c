// output_places.hpp: parts of the checks of places that tiles and volumes share: names, inputs, and what an earlier run
// of onepass has made.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onepass/files.hpp"

namespace onepass::tiles {

/// Refuses names with a NUL byte, where the system would cut them off. Pairs of a field and its value.
/// Errors: kInvalidArgument.
Result<void> check_names(std::span<const std::pair<std::string, std::string>> names);

/// Refuses places that are inputs, hold inputs or lie in them. `inputs_of` lists the inputs, with all links in
/// directories if its argument is true: needed only where something can be replaced. Errors: kInvalidArgument.
Result<void> check_conflict(const std::function<std::vector<std::filesystem::path>(bool with_links)>& inputs_of,
                            const std::vector<files::OutputPlace>& places);

/// Adds the entries of a directory that are symbolic links: their files may be somewhere else.
void add_links_in(const std::filesystem::path& directory, std::vector<std::filesystem::path>& inputs);

/// "exists and is no earlier output of onepass: WHY; ..."
Error foreign_output(const std::filesystem::path& path, const std::string& why);

/// The beginning of a file; empty if it cannot be read.
std::string text_in(const std::filesystem::path& path);

/// A directory with entries.
bool is_filled(const std::filesystem::path& directory);

/// Refuses a directory with anything that is no part of an output. Errors: kIo.
using IsPart = std::function<bool(const std::filesystem::directory_entry& entry, int depth)>;
Result<void> check_contents(const std::filesystem::path& directory, const IsPart& is_part);

/// Refuses a directory that holds anything but an OME-Zarr output of onepass, of either version of Zarr. Fine if there
/// is none. `look_inside`: at every file; else at its metadata. Errors: kIo.
Result<void> check_old_zarr(const std::filesystem::path& output, bool look_inside);

}  // namespace onepass::tiles
