// check_places.cpp: compares outputs with inputs, then recognises what an earlier run made by names and contents.
#include "tiles/check_places.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
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
using Json = nlohmann::json;

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
  for (uint32_t y = 0;; ++y) {
    uint32_t x = 0;
    while (find(x, y)) ++x;
    if (x == 0) return;
  }
}

// Entries of a directory that are symbolic links: their files may be somewhere else. The directory says which these
// are, without a call of the system per file. Hard links need no check, because an output takes its place by a rename.
void add_links(const fs::path& directory, std::vector<fs::path>& inputs) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    if (entry->is_symlink(none)) inputs.push_back(entry->path());
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

// The beginning of a file; empty if it cannot be read.
std::string text_in(const fs::path& path) {
  constexpr size_t kMost = size_t{4} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMost, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Is `text` one of the numbers 0 to count - 1, as programs write them?
bool is_number_below(const std::string& text, uint64_t count) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number < count && text == std::to_string(number);
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

// Chunks of a level along each axis, by its .zarray; empty if that does not say them.
std::vector<uint64_t> chunk_counts(const fs::path& level) {
  const Json array = Json::parse(text_in(level / ".zarray"), nullptr, false);
  const auto numbers = [&](const char* name) {
    std::vector<uint64_t> out;
    if (!array.is_object() || !array.contains(name)) return out;
    for (const Json& number : array[name]) out.push_back(number.is_number_unsigned() ? number.get<uint64_t>() : 0);
    return out;
  };
  std::vector<uint64_t> counts = numbers("shape");
  const std::vector<uint64_t> chunks = numbers("chunks");
  if (chunks.size() != counts.size()) return {};
  for (size_t axis = 0; axis < counts.size(); ++axis) {
    if (chunks[axis] == 0) return {};
    counts[axis] = counts[axis] / chunks[axis] + (counts[axis] % chunks[axis] != 0 ? 1 : 0);
  }
  return counts;
}

// Is `entry` a file that this program makes in `output`, or a directory of such files? `levels`: chunk_counts() of all.
bool is_part_of_zarr(const fs::path& output, const std::vector<std::vector<uint64_t>>& levels,
                     const fs::directory_entry& entry) {
  std::error_code none;
  if (entry.is_symlink(none)) return false;
  const bool directory = entry.is_directory(none);
  if (!directory && !entry.is_regular_file(none)) return false;
  std::vector<std::string> names;
  for (const fs::path& name : entry.path().lexically_relative(output)) names.push_back(name.string());
  if (!directory && names.size() == 1) return names[0] == ".zattrs" || names[0] == ".zgroup";
  if (names.empty() || !is_number_below(names[0], levels.size())) return false;
  if (!directory && names.size() == 2 && names[1] == ".zarray") return true;
  const std::vector<uint64_t>& counts = levels[std::stoul(names[0])];
  if (directory ? names.size() > std::max<size_t>(counts.size(), 1) : names.size() != counts.size() + 1) return false;
  for (size_t axis = 0; axis + 1 < names.size(); ++axis) {
    if (!is_number_below(names[axis + 1], counts[axis])) return false;
  }
  return true;
}

// Refuses a directory with anything that is no part of an output.
Result<void> check_contents(const fs::path& directory,
                            const std::function<bool(const fs::directory_entry&, int)>& is_part) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_part(*entry, entry.depth())) {
      return foreign(directory, "it holds " + entry->path().lexically_relative(directory).string());
    }
  }
  if (error) return foreign(directory, "it cannot be listed, " + error.message());
  return {};
}

bool is_filled(const fs::path& directory) {
  std::error_code none;
  return fs::is_directory(directory, none) && !fs::is_empty(directory, none);
}

Result<void> check_old_zarr(const TileOptions& options) {
  const fs::path& output = options.output;
  if (!is_filled(output)) return {};
  const std::string text = text_in(output / ".zattrs");
  const Json attributes = Json::parse(text, nullptr, false);
  if (text.find(kZarrMethod) == std::string::npos || !attributes.is_object()) {
    return foreign(output, "its .zattrs does not name onepass tiles");
  }
  for (const auto& [key, value] : attributes.items()) {
    if (key != "multiscales" && key != "omero") return foreign(output, "its .zattrs has " + key);
  }
  if (options.shard.count > 0) return {};
  const Json::json_pointer datasets("/multiscales/0/datasets");
  std::vector<std::vector<uint64_t>> levels(attributes.contains(datasets) ? attributes.at(datasets).size() : 0);
  for (size_t level = 0; level < levels.size(); ++level) levels[level] = chunk_counts(output / std::to_string(level));
  return check_contents(
      output, [&](const fs::directory_entry& entry, int /*depth*/) { return is_part_of_zarr(output, levels, entry); });
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
