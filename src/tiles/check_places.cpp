// check_places.cpp: compares outputs with inputs, then recognises what an earlier run made by names and contents.
#include "tiles/check_places.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "files/writers.hpp"
#include "tiles/grid_table.hpp"
#include "tiles/output.hpp"
#include "tiles/output_places.hpp"
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
  for (uint32_t y = 0;; ++y) {
    uint32_t x = 0;
    while (find(x, y)) ++x;
    if (x == 0) return;
  }
}

std::vector<fs::path> inputs_of(const TileOptions& options, bool with_links) {
  std::vector<fs::path> inputs;
  if (is_grid_table(options.input.grid)) {
    inputs.push_back(options.input.grid);
    const auto table = read_grid_table(options.input.grid);
    for (size_t i = 0; table && i < table->size(); ++i) inputs.push_back((*table)[i].path);
    return inputs;
  }
  if (!options.input.grid.empty()) {
    add_grid(options.input.grid, inputs);
    return inputs;
  }
  const fs::path& path = options.input.path;
  if (remote::is_remote(path.string())) return inputs;
  inputs.push_back(path);
  std::error_code none;
  if (with_links && fs::is_directory(path, none)) add_links_in(path, inputs);
  if (path.extension() == ".mrxs") inputs.push_back(path.parent_path() / path.stem());
  return inputs;
}

// ---- Old outputs

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

Result<void> check_old_tiles(const TileOptions& options) {
  const fs::path directory = tiles_directory(options);
  if (!is_filled(directory)) return {};
  std::error_code none;
  if (!fs::exists(options.output, none)) return foreign_output(directory, options.output.string() + " is missing");
  if (!is_own_descriptor(text_in(options.output))) {
    return foreign_output(directory, "another program wrote " + options.output.string());
  }
  return options.shard.count > 0 ? Result<void>() : check_contents(directory, is_part_of_deep_zoom);
}

Result<void> check_old_viewer(const TileOptions& options) {
  const fs::path page = viewer_path(options);
  std::error_code none;
  if (!fs::exists(page, none)) return {};
  if (is_own_viewer(text_in(page), tiles_directory(options).filename().string())) return {};
  return foreign_output(page, "it does not show " + tiles_directory(options).filename().string());
}

}  // namespace

fs::path tiles_directory(const TileOptions& options) {
  return options.output.parent_path() / (options.output.stem().string() + "_files");
}

fs::path viewer_path(const TileOptions& options) {
  return options.output.parent_path() / (options.output.stem().string() + ".html");
}

Result<void> check_inputs(const TileOptions& options) {
  const std::pair<std::string, std::string> names[] = {
      {"output", options.output.string()}, {"input", options.input.path.string()}, {"grid", options.input.grid}};
  if (auto fine = check_names(names); !fine) return fine;
  return check_conflict([&](bool with_links) { return inputs_of(options, with_links); }, places_of(options));
}

Result<void> check_places(const TileOptions& options) {
  const fs::path& output = options.output;
  const OutputType type = output_type(output);
  if (auto fine = check_place(output, type == OutputType::kZarr); !fine) return fine;
  if (type == OutputType::kZarr) return check_old_zarr(output, options.shard.count == 0);
  if (type != OutputType::kDeepZoom) return {};
  if (auto fine = check_place(tiles_directory(options), true); !fine) return fine;
  if (auto fine = check_old_tiles(options); !fine) return fine;
  if (!options.viewer) return {};
  if (auto fine = check_place(viewer_path(options), false); !fine) return fine;
  return check_old_viewer(options);
}

}  // namespace onepass::tiles
