// volume_places.cpp: the places of an output and the files of its input.
#include "volume_files/volume_places.hpp"

#include <system_error>

#include "onepass/tiles.hpp"
#include "tiles/output_places.hpp"
#include "tiles/put_in_place.hpp"
#include "volume_files/volume_viewer.hpp"

namespace onepass::volumes {
namespace {

namespace fs = std::filesystem;

// Files of planes: their names begin and end as the pattern says.
void add_plane_files(const std::string& pattern, std::vector<fs::path>& inputs) {
  const fs::path whole(pattern);
  const std::string name = whole.filename().string();
  const size_t brace = name.find("{z}");
  if (brace == std::string::npos) return;
  const fs::path folder = whole.has_parent_path() ? whole.parent_path() : ".";
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    const bool fits = file.size() > name.size() - 3 && file.starts_with(name.substr(0, brace)) &&
                      file.ends_with(name.substr(brace + 3));
    if (fits) inputs.push_back(entry->path());
  }
}

std::vector<fs::path> volume_inputs(const VolumeInput& input, bool with_links) {
  std::vector<fs::path> inputs;
  if (!input.planes.empty()) {
    add_plane_files(input.planes, inputs);
    return inputs;
  }
  if (remote::is_remote(input.path.string())) return inputs;
  inputs.push_back(input.path);
  std::error_code none;
  if (with_links && fs::is_directory(input.path, none)) tiles::add_links_in(input.path, inputs);
  return inputs;
}

}  // namespace

Result<void> check_volume_inputs(const VolumeFileOptions& options) {
  const VolumeInput kernel = options.deconvolution ? options.deconvolution->kernel : VolumeInput();
  const std::pair<std::string, std::string> names[] = {{"output", options.output.string()},
                                                       {"input", options.input.path.string()},
                                                       {"planes", options.input.planes},
                                                       {"deconvolution", kernel.path.string() + kernel.planes}};
  if (auto fine = tiles::check_names(names); !fine) return fine;
  const fs::path work = tiles::unfinished_path(options.output);
  std::vector<files::OutputPlace> places{{options.output, true}, {work, true}, {tiles::leftovers_of(work), true}};
  if (options.viewer) places.push_back({volume_viewer_path(options)});
  const auto inputs = [&](bool with_links) {
    std::vector<fs::path> all = volume_inputs(options.input, with_links);
    if (!options.deconvolution) return all;
    for (fs::path& path : volume_inputs(kernel, with_links)) all.push_back(std::move(path));
    return all;
  };
  return tiles::check_conflict(inputs, places);
}

Result<void> check_volume_places(const VolumeFileOptions& options) {
  if (auto fine = tiles::check_place(options.output, true); !fine) return fine;
  if (auto fine = tiles::check_old_zarr(options.output, options.shard.count == 0); !fine) return fine;
  return options.viewer ? check_old_volume_viewer(options) : Result<void>();
}

}  // namespace onepass::volumes
