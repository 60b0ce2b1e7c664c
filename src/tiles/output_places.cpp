// output_places.cpp: names, conflicts with inputs, and the contents of OME-Zarr directories.
#include "tiles/output_places.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/output.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Is `text` one of the numbers 0 to count - 1, as programs write them?
bool is_number_below(const std::string& text, uint64_t count) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number < count && text == std::to_string(number);
}

// An OME-Zarr directory: which of its files this program would have made.
struct OldZarr {
  bool is_version_3 = false;
  std::vector<std::vector<uint64_t>> levels;  // files of chunks along each axis
};

// The numbers of an array in JSON; 0 for what is no number.
std::vector<uint64_t> numbers_in(const Json& json, const char* pointer) {
  std::vector<uint64_t> numbers;
  const Json::json_pointer at(pointer);
  if (!json.is_object() || !json.contains(at)) return numbers;
  for (const Json& number : json.at(at)) numbers.push_back(number.is_number_unsigned() ? number.get<uint64_t>() : 0);
  return numbers;
}

// Files of a level along each axis, by its metadata; empty if that does not say them.
std::vector<uint64_t> file_counts(const fs::path& level, bool is_version_3) {
  const Json array = Json::parse(text_in(level / (is_version_3 ? "zarr.json" : ".zarray")), nullptr, false);
  std::vector<uint64_t> counts = numbers_in(array, "/shape");
  const std::vector<uint64_t> chunks =
      numbers_in(array, is_version_3 ? "/chunk_grid/configuration/chunk_shape" : "/chunks");
  if (chunks.size() != counts.size()) return {};
  for (size_t axis = 0; axis < counts.size(); ++axis) {
    if (chunks[axis] == 0) return {};
    counts[axis] = counts[axis] / chunks[axis] + (counts[axis] % chunks[axis] != 0 ? 1 : 0);
  }
  return counts;
}

// Is `entry` a file that this program makes in `output`, or a directory of such files?
bool is_part_of_zarr(const fs::path& output, const OldZarr& zarr, const fs::directory_entry& entry) {
  std::error_code none;
  if (entry.is_symlink(none)) return false;
  const bool directory = entry.is_directory(none);
  if (!directory && !entry.is_regular_file(none)) return false;
  std::vector<std::string> names;
  for (const fs::path& name : entry.path().lexically_relative(output)) names.push_back(name.string());
  if (!directory && names.size() == 1) {
    return zarr.is_version_3 ? names[0] == "zarr.json" : names[0] == ".zattrs" || names[0] == ".zgroup";
  }
  if (names.empty() || !is_number_below(names[0], zarr.levels.size())) return false;
  if (!directory && names.size() == 2 && names[1] == (zarr.is_version_3 ? "zarr.json" : ".zarray")) return true;
  const std::vector<uint64_t>& counts = zarr.levels[std::stoul(names[0])];
  names.erase(names.begin());
  if (zarr.is_version_3 && !names.empty()) {
    if (names[0] != "c") return false;
    names.erase(names.begin());
  }
  if (directory ? names.size() >= std::max<size_t>(counts.size(), 1) : names.size() != counts.size()) return false;
  for (size_t axis = 0; axis < names.size(); ++axis) {
    if (!is_number_below(names[axis], counts[axis])) return false;
  }
  return true;
}

// The metadata of images in the attributes of a group; refuses attributes of other programs.
Result<Json> image_attributes(const fs::path& output, const std::string& file, const std::string& text) {
  Json attributes = Json::parse(text, nullptr, false);
  const bool ours = text.find("onepass tiles") != std::string::npos || text.find("onepass volume") != std::string::npos;
  if (!ours || !attributes.is_object()) return foreign_output(output, "its " + file + " does not name onepass tiles");
  if (file == "zarr.json") {
    const Json::json_pointer ome("/attributes/ome");
    if (!attributes.contains(ome) || attributes["attributes"].size() != 1) {
      return foreign_output(output, "its zarr.json has attributes beside those of OME");
    }
    attributes = Json(attributes.at(ome));
  }
  constexpr std::string_view kKnown[] = {"image-label", "multiscales", "omero", "version"};
  for (const auto& [key, value] : attributes.items()) {
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown)) {
      return foreign_output(output, "its " + file + " has " + key);
    }
  }
  return attributes;
}

}  // namespace

Result<void> check_names(std::span<const std::pair<std::string, std::string>> names) {
  for (const auto& [field, name] : names) {
    if (name.find('\0') == std::string::npos) continue;
    return Error{ErrorCode::kInvalidArgument,
                 text_of(field, ": ", name.c_str(), " is followed by a NUL byte, where the system would cut it off"),
                 ""};
  }
  return {};
}

Result<void> check_conflict(const std::function<std::vector<fs::path>(bool with_links)>& inputs_of,
                            const std::vector<files::OutputPlace>& places) {
  const bool anything = std::any_of(places.begin(), places.end(), [](const files::OutputPlace& place) {
    std::error_code none;
    return fs::exists(place.path, none);
  });
  const std::vector<fs::path> inputs = inputs_of(anything);
  const auto conflict = files::find_output_conflict(inputs, places);
  if (!conflict) return {};
  return Error{ErrorCode::kInvalidArgument, "output: " + conflict->message, ""};
}

// The directory says which entries are links, without a call of the system per file. Hard links need no check, because
// an output takes its place by a rename.
void add_links_in(const fs::path& directory, std::vector<fs::path>& inputs) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    if (entry->is_symlink(none)) inputs.push_back(entry->path());
  }
}

Error foreign_output(const fs::path& path, const std::string& why) {
  return files::file_error(
      path, ErrorCode::kIo,
      "exists and is no earlier output of onepass: " + why + "; move it away, delete it or choose another output");
}

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

Result<void> check_contents(const fs::path& directory, const IsPart& is_part) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_part(*entry, entry.depth())) {
      return foreign_output(directory, "it holds " + entry->path().lexically_relative(directory).string());
    }
  }
  if (error) return foreign_output(directory, "it cannot be listed, " + error.message());
  return {};
}

Result<void> check_old_zarr(const fs::path& output, bool look_inside) {
  if (!is_filled(output)) return {};
  std::error_code none;
  OldZarr zarr{.is_version_3 = fs::exists(output / "zarr.json", none)};
  const std::string file = zarr.is_version_3 ? "zarr.json" : ".zattrs";
  const auto attributes = image_attributes(output, file, text_in(output / file));
  if (!attributes) return attributes.error();
  if (!look_inside) return {};
  const Json::json_pointer datasets("/multiscales/0/datasets");
  zarr.levels.resize(attributes->contains(datasets) ? attributes->at(datasets).size() : 0);
  for (size_t level = 0; level < zarr.levels.size(); ++level) {
    zarr.levels[level] = file_counts(output / std::to_string(level), zarr.is_version_3);
  }
  return check_contents(
      output, [&](const fs::directory_entry& entry, int /*depth*/) { return is_part_of_zarr(output, zarr, entry); });
}

}  // namespace onepass::tiles
