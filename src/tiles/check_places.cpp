// check_places.cpp: see check_places.hpp.
#include "tiles/check_places.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "files/writers.hpp"
#include "tiles/output.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/row_source.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

namespace fs = std::filesystem;

// ---- Inputs

// Everything that the run writes, replaces or deletes.
std::vector<files::OutputPlace> places_of(const TileOptions& options) {
  const OutputType type = output_type(options.output);
  std::vector<files::OutputPlace> places{{options.output, type == OutputType::kZarr}};
  if (type == OutputType::kDeepZoom) {
    places.push_back({tiles_directory(options), true});
    if (options.viewer) places.push_back({viewer_path(options)});
  }
  if (type == OutputType::kKtx2 || type == OutputType::kExr) return places;
  const fs::path work = unfinished_path(options.output);
  places.push_back({work, true});
  places.push_back({leftovers_of(work), true});
  return places;
}

void add_grid(const std::string& pattern, std::vector<fs::path>& inputs) {
  std::error_code none;
  const auto find = [&](uint32_t x, uint32_t y) {
    fs::path file = grid_name(pattern, x, y);
    if (!fs::exists(file, none)) return false;
    inputs.push_back(std::move(file));
    return true;
  };
  const bool has_columns = pattern.find("{x}") != std::string::npos;
  const bool has_rows = pattern.find("{y}") != std::string::npos;
  for (uint32_t y = 0;; ++y) {
    uint32_t x = 0;
    while (find(x, y) && has_columns) ++x;
    if (x == 0 || !has_rows) return;
  }
}

// Entries of a directory that may be files somewhere else: symbolic and hard links. find_output_conflict() knows that
// all others are in the directory.
void add_links(const fs::path& directory, std::vector<fs::path>& inputs) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    const bool linked = entry->is_symlink(none) || (entry->is_regular_file(none) && entry->hard_link_count(none) > 1);
    if (linked) inputs.push_back(entry->path());
  }
}

std::vector<fs::path> inputs_of(const TileOptions& options, bool with_links) {
  std::vector<fs::path> inputs;
  if (!options.input.grid.empty()) {
    add_grid(options.input.grid, inputs);
    return inputs;
  }
  const fs::path& path = options.input.path;
  inputs.push_back(path);
  std::error_code none;
  if (with_links && fs::is_directory(path, none)) add_links(path, inputs);
  if (path.extension() == ".mrxs") inputs.push_back(path.parent_path() / path.stem());
  return inputs;
}

// ---- Old outputs

Error foreign(const fs::path& path, const std::string& why) {
  return files::file_error(
      path, ErrorCode::kIo,
      "exists and is no earlier output of onepass: " + why + "; move it away, delete it or choose another output");
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_tile_name(const std::string& name) {
  const size_t line = name.find('_');
  const size_t dot = name.find('.');
  if (line == std::string::npos || dot == std::string::npos || dot < line) return false;
  const std::string_view ending = std::string_view(name).substr(dot);
  return is_number(std::string_view(name).substr(0, line)) &&
         is_number(std::string_view(name).substr(line + 1, dot - line - 1)) &&
         (ending == ".jpg" || ending == ".png" || ending == ".webp");
}

bool is_part_of_deep_zoom(const fs::directory_entry& entry, int depth) {
  std::error_code none;
  const std::string name = entry.path().filename().string();
  if (entry.is_symlink(none)) return false;
  return depth == 0 ? is_number(name) && entry.is_directory(none) : is_tile_name(name) && entry.is_regular_file(none);
}

bool is_part_of_zarr(const fs::directory_entry& entry, int /*depth*/) {
  std::error_code none;
  const std::string name = entry.path().filename().string();
  if (entry.is_symlink(none)) return false;
  if (entry.is_directory(none)) return is_number(name);
  return entry.is_regular_file(none) &&
         (is_number(name) || name == ".zarray" || name == ".zattrs" || name == ".zgroup");
}

// Refuses a directory with anything that is no part of an output.
Result<void> check_contents(const fs::path& directory, bool (*is_part)(const fs::directory_entry&, int)) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_part(*entry, entry.depth())) {
      return foreign(directory, "it holds " + entry->path().lexically_relative(directory).string());
    }
  }
  if (error) return foreign(directory, "it cannot be listed, " + error.message());
  return {};
}

// The beginning of a file; empty if it cannot be read.
std::string text_in(const fs::path& path) {
  constexpr size_t kMost = size_t{4} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMost, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

bool is_filled(const fs::path& directory) {
  std::error_code none;
  return fs::is_directory(directory, none) && !fs::is_empty(directory, none);
}

Result<void> check_old_zarr(const TileOptions& options) {
  const fs::path& output = options.output;
  if (!is_filled(output)) return {};
  if (text_in(output / ".zattrs").find(kZarrMethod) == std::string::npos) {
    return foreign(output, "its .zattrs does not name onepass tiles");
  }
  return options.shard.count > 0 ? Result<void>() : check_contents(output, is_part_of_zarr);
}

Result<void> check_old_tiles(const TileOptions& options) {
  const fs::path directory = tiles_directory(options);
  if (!is_filled(directory)) return {};
  std::error_code none;
  if (!fs::exists(options.output, none)) return foreign(directory, options.output.string() + " is missing");
  if (!is_own_descriptor(text_in(options.output))) {
    return foreign(directory, "another program wrote " + options.output.string());
  }
  return options.shard.count > 0 ? Result<void>() : check_contents(directory, is_part_of_deep_zoom);
}

Result<void> check_old_viewer(const TileOptions& options) {
  const fs::path page = viewer_path(options);
  std::error_code none;
  if (!fs::exists(page, none)) return {};
  if (is_own_viewer(text_in(page), tiles_directory(options).filename().string())) return {};
  return foreign(page, "it does not show " + tiles_directory(options).filename().string());
}

}  // namespace

fs::path tiles_directory(const TileOptions& options) {
  return options.output.parent_path() / (options.output.stem().string() + "_files");
}

fs::path viewer_path(const TileOptions& options) {
  return options.output.parent_path() / (options.output.stem().string() + ".html");
}

Result<void> check_inputs(const TileOptions& options) {
  for (const auto& [field, name] :
       {std::pair{"output", options.output.string()}, std::pair{"input", options.input.path.string()},
        std::pair{"grid", options.input.grid}}) {
    if (name.find('\0') == std::string::npos) continue;
    return Error{ErrorCode::kInvalidArgument,
                 text_of(field, ": ", name.c_str(), " is followed by a NUL byte, where the system would cut it off"),
                 ""};
  }
  const std::vector<files::OutputPlace> places = places_of(options);
  const bool anything = std::any_of(places.begin(), places.end(), [](const files::OutputPlace& place) {
    std::error_code none;
    return fs::exists(place.path, none);
  });
  const std::vector<fs::path> inputs = inputs_of(options, anything);
  const auto conflict = files::find_output_conflict(inputs, places);
  if (!conflict) return {};
  return Error{ErrorCode::kInvalidArgument, "output: " + conflict->message, ""};
}

Result<void> check_places(const TileOptions& options) {
  const fs::path& output = options.output;
  const OutputType type = output_type(output);
  if (auto fine = check_place(output, type == OutputType::kZarr); !fine) return fine;
  if (type == OutputType::kZarr) return check_old_zarr(options);
  if (type != OutputType::kDeepZoom) return {};
  if (auto fine = check_place(tiles_directory(options), true); !fine) return fine;
  if (auto fine = check_old_tiles(options); !fine) return fine;
  if (!options.viewer) return {};
  if (auto fine = check_place(viewer_path(options), false); !fine) return fine;
  return check_old_viewer(options);
}

}  // namespace onepass::tiles
