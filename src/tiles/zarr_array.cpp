// zarr_array.cpp: reads .zattrs and .zarray, and refuses what would change the picture if it were ignored.
#include "tiles/zarr_array.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "image/small_float.hpp"
#include "tiles/file_io.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Axis = ZarrArray::Axis;

constexpr uint64_t kMostMetadata = uint64_t{4} << 20;    // bytes of a file of metadata
constexpr uint64_t kMostChunkBytes = uint64_t{1} << 30;  // decompressed
constexpr uint32_t kMostChannels = 4096;
constexpr int kMostNesting = 64;    // of arrays and objects; destructors and texts of JSON are recursive
constexpr size_t kMostShown = 100;  // bytes of a value in a message

Error bad(const fs::path& path, const std::string& text) { return {ErrorCode::kBadData, text, path.string()}; }
Error unsupported(const fs::path& path, const std::string& text) {
  return {ErrorCode::kUnsupported, text, path.string()};
}

// The member of an object; null if there is none or `json` is no object.
const Json& member(const Json& json, const char* name) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(name);
  return found == json.end() ? none : *found;
}
const Json& element(const Json& json, size_t number) {
  static const Json none;
  return json.is_array() && number < json.size() ? json[number] : none;
}
std::string text_member(const Json& json, const char* name) {
  const Json& value = member(json, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// A value in a message.
std::string shown(const Json& json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return text;
}

bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth > kMostNesting) return true;
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

// Json's operator== ends the process if memory for its operand is lacking.
bool is(const Json& json, std::string_view text) {
  return json.is_string() && json.get_ref<const std::string&>() == text;
}

Result<Json> read_json(const fs::path& path) {
  auto file = open_input(path);
  if (!file) return file.error();
  if (file->size > kMostMetadata) return bad(path, text_of("has ", file->size, " bytes, too many for metadata"));
  std::string text(file->size, '\0');
  const int number = read_fully(file->handle.number(), text.data(), text.size(), 0);
  if (number < 0) return bad(path, "is truncated");
  if (number > 0) return Error{ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(number), path.string()};
  if (nests_too_deep(text)) return bad(path, "is JSON of more than 64 nested arrays and objects");
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return bad(path, "is not a JSON object");
  return json;
}

struct SampleType {
  const char* name;
  Sample sample;
};
constexpr SampleType kSampleTypes[] = {{"u1", Sample::kU8},  {"i1", Sample::kI8},  {"u2", Sample::kU16},
                                       {"i2", Sample::kI16}, {"u4", Sample::kU32}, {"i4", Sample::kI32},
                                       {"f2", Sample::kF16}, {"f4", Sample::kF32}};

// "<u2": byte order, type and bytes.
Result<void> take_type(const fs::path& path, const Json& json, ZarrArray& array) {
  const std::string type = text_member(json, "dtype");
  const bool has_order = !type.empty() && (type[0] == '<' || type[0] == '>' || type[0] == '|');
  for (const auto& [name, sample] : kSampleTypes) {
    if (!has_order || type.substr(1) != name) continue;
    array.header.layout.sample = sample;
    const bool big = type[0] == '>';
    array.swapped = sample_bytes(sample) > 1 && big != (std::endian::native == std::endian::big);
    return {};
  }
  return unsupported(path, "dtype is " + shown(member(json, "dtype")) +
                               "; integers of 8, 16 and 32 bits and floats of 16 and 32 bits are read");
}

Result<void> take_fill(const fs::path& path, const Json& json, ZarrArray& array) {
  const Json& fill = member(json, "fill_value");
  const Sample sample = array.header.layout.sample;
  double value = 0;
  if (fill.is_number()) {
    value = fill.get<double>();
  } else if (is_float(sample) && is(fill, "NaN")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (is_float(sample) && (is(fill, "Infinity") || is(fill, "-Infinity"))) {
    value = (is(fill, "Infinity") ? 1 : -1) * std::numeric_limits<double>::infinity();
  } else if (!fill.is_null()) {
    return bad(path, "fill_value is " + shown(fill));
  }
  if (is_float(sample)) {
    const auto number = static_cast<float>(value);
    const uint16_t half = encode_half(number);
    if (sample == Sample::kF32) {
      std::memcpy(array.fill.data(), &number, 4);
    } else {
      std::memcpy(array.fill.data(), &half, 2);
    }
    return {};
  }
  const auto bits = static_cast<int>(8 * sample_bytes(sample));
  const double least = is_signed(sample) ? -std::ldexp(1.0, bits - 1) : 0;
  const double most = std::ldexp(1.0, is_signed(sample) ? bits - 1 : bits) - 1;
  if (!(value >= least && value <= most) || value != std::floor(value)) {
    return bad(path, "fill_value is " + shown(fill) + ", which is no " + std::string(sample_name(sample)));
  }
  const auto number = static_cast<uint32_t>(static_cast<int64_t>(value));
  if (sample_bytes(sample) == 1) {
    array.fill[0] = static_cast<std::byte>(number);
  } else if (sample_bytes(sample) == 2) {
    const auto low = static_cast<uint16_t>(number);
    std::memcpy(array.fill.data(), &low, 2);
  } else {
    std::memcpy(array.fill.data(), &number, 4);
  }
  return {};
}

Result<void> take_codec(const fs::path& path, const Json& json, ZarrArray& array) {
  const Json& filters = member(json, "filters");
  if (!filters.is_null() && !filters.empty()) return unsupported(path, "filters are " + shown(filters));
  if (const Json& order = member(json, "order"); !order.is_null() && !is(order, "C")) {
    return unsupported(path, "order is " + shown(order) + "; C is read");
  }
  const Json& separator = member(json, "dimension_separator");
  if (!separator.is_null() && !is(separator, ".") && !is(separator, "/")) {
    return bad(path, "dimension_separator is " + shown(separator));
  }
  // Older writers of nested directories do not state the separator.
  std::error_code none;
  const bool nested = separator.is_null() && fs::is_directory(array.folder / "0", none);
  array.separator = is(separator, "/") || nested ? '/' : '.';
  const Json& compressor = member(json, "compressor");
  const std::string id = text_member(compressor, "id");
  if (compressor.is_null()) {
    array.codec = ZarrArray::Codec::kNone;
  } else if (id == "zlib" || id == "gzip") {
    array.codec = ZarrArray::Codec::kZlib;
  } else if (id == "zstd") {
    array.codec = ZarrArray::Codec::kZstd;
  } else if (id == "blosc") {
#ifdef ONEPASS_HAS_BLOSC
    array.codec = ZarrArray::Codec::kBlosc;
#else
    return unsupported(path, "compressor is blosc, and onepass was built without Blosc");
#endif
  } else {
    return unsupported(path, "compressor is " + shown(compressor) + "; blosc, zstd, zlib, gzip and null are read");
  }
  return {};
}

// A size in shape or chunks.
std::optional<uint32_t> size_of(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() ? value.get<uint64_t>() > kMaxEdge : value.get<int64_t>() < 0) return std::nullopt;
  const auto size = value.get<uint32_t>();
  return size == 0 ? std::nullopt : std::optional(size);
}

// Name and type of an axis; both empty where a version of OME-Zarr has none.
struct NamedAxis {
  std::string name;
  std::string type;
  std::string unit;
};

std::vector<NamedAxis> named_axes(const Json& multiscale, size_t count) {
  std::vector<NamedAxis> axes;
  const Json& listed = member(multiscale, "axes");
  if (listed.is_null()) {  // versions 0.1 and 0.2
    for (const char* name : {"t", "c", "z", "y", "x"}) axes.push_back({name, "", ""});
    if (count < axes.size()) axes.erase(axes.begin(), axes.end() - static_cast<ptrdiff_t>(count));
    return axes;
  }
  for (size_t i = 0; listed.is_array() && i < listed.size(); ++i) {
    if (listed[i].is_string()) {  // version 0.3
      axes.push_back({listed[i].get<std::string>(), "", ""});
    } else {
      axes.push_back({text_member(listed[i], "name"), text_member(listed[i], "type"), text_member(listed[i], "unit")});
    }
  }
  return axes;
}

bool is_channel(const NamedAxis& axis) { return axis.type.empty() ? axis.name == "c" : axis.type == "channel"; }

// Planes of y and x, and at most one axis of channels.
Result<void> check_axes(const fs::path& path, const std::vector<NamedAxis>& axes) {
  std::string names;
  for (const NamedAxis& axis : axes) names += (names.empty() ? "" : ", ") + axis.name.substr(0, kMostShown);
  const auto is_space = [](const NamedAxis& axis) { return axis.type.empty() || axis.type == "space"; };
  const NamedAxis& row = axes[axes.size() - 2];
  const NamedAxis& column = axes.back();
  const bool swapped = row.name == "x" || column.name == "y" || column.name == "c" || row.name == "c";
  if (!is_space(row) || !is_space(column) || swapped) {
    return unsupported(path, "axes are " + names + "; pictures whose last axes are y and x are read");
  }
  if (std::count_if(axes.begin(), axes.end(), is_channel) > 1) {
    return unsupported(path, "axes are " + names + ", two of them of channels");
  }
  return {};
}

Result<void> take_shape(const fs::path& path, const Json& json, const std::vector<NamedAxis>& axes, ZarrArray& array) {
  const Json& shape = member(json, "shape");
  const Json& chunks = member(json, "chunks");
  if (!shape.is_array() || !chunks.is_array() || shape.size() != chunks.size() || shape.size() < 2) {
    return bad(path, "shape is " + shown(shape) + " and chunks are " + shown(chunks));
  }
  if (shape.size() != axes.size()) {
    return bad(path, text_of("shape has ", shape.size(), " axes, but OME-Zarr's metadata name ", axes.size()));
  }
  if (auto fine = check_axes(path, axes); !fine) return fine;
  array.dimensions.resize(shape.size());
  size_t elements = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    const auto size = size_of(shape[i]);
    const auto chunk = size_of(chunks[i]);
    if (!size || !chunk) return bad(path, "shape is " + shown(shape) + " and chunks are " + shown(chunks));
    const Axis axis = i + 1 == shape.size()   ? Axis::kColumn
                      : i + 2 == shape.size() ? Axis::kRow
                      : is_channel(axes[i])   ? Axis::kChannel
                                              : Axis::kOne;
    if (axis == Axis::kOne && *size != 1) {
      return unsupported(path,
                         "axis " + axes[i].name + " has " + std::to_string(*size) +
                             " elements; tiles are made of one plane, with channels, and onepass volume takes stacks");
    }
    if (axis == Axis::kChannel && *size > kMostChannels) {
      return unsupported(path, text_of("has ", *size, " channels, more than ", kMostChannels));
    }
    array.dimensions[i] = {axis, *size, *chunk, elements};
    if (*chunk > kMostChunkBytes / elements) elements = kMostChunkBytes;  // of this many bytes or more
    elements = std::min<size_t>(elements * *chunk, kMostChunkBytes);
  }
  if (array.chunk_bytes() > kMostChunkBytes || elements >= kMostChunkBytes) {
    return unsupported(path, "chunks are " + shown(chunks) + ", more than 1 GiB each");
  }
  array.header.layout.channels = array.dimension(Axis::kChannel).size;
  return {};
}

// The size of a pixel in micrometres, if the unit of the axis is known.
std::optional<double> pixel_size(const NamedAxis& axis, double scale) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"micrometer", 1}, {"nanometer", 1e-3}, {"millimeter", 1e3}, {"centimeter", 1e4}, {"meter", 1e6}};
  for (const auto& [name, micrometres] : kUnits) {
    if (axis.unit == name && std::isfinite(scale) && scale > 0) return scale * micrometres;
  }
  return std::nullopt;
}

// The product of the scales of the level and of the image along an axis.
double scale_of(const Json& multiscale, const Json& dataset, size_t axis) {
  double scale = 1;
  for (const Json* from : {&dataset, &multiscale}) {
    const Json& transforms = member(*from, "coordinateTransformations");
    for (size_t i = 0; transforms.is_array() && i < transforms.size(); ++i) {
      const Json& factor = element(member(transforms[i], "scale"), axis);
      if (factor.is_number()) scale *= factor.get<double>();
    }
  }
  return scale;
}

// Names of channels; colours, if they are named red, green, blue and, as a fourth one, alpha.
void take_channels(const Json& attributes, ZarrArray& array) {
  const Json& channels = member(member(attributes, "omero"), "channels");
  if (!channels.is_array() || channels.size() != array.header.layout.channels) return;
  std::vector<std::string> names;
  for (const Json& channel : channels) names.push_back(text_member(channel, "label"));
  const auto is_named = [&](size_t number, std::string_view wanted) {
    return names[number].size() == wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), names[number].begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  };
  const bool three = names.size() >= 3 && is_named(0, "red") && is_named(1, "green") && is_named(2, "blue");
  array.header.layout.colour = three && (names.size() == 3 || (names.size() == 4 && is_named(3, "alpha")));
  if (array.header.layout.colour && names.size() == 4) array.header.layout.alpha = AlphaAssociation::kStraight;
  array.header.channel_names = std::move(names);
}

// A level lies below the picture's directory.
bool is_inside(const fs::path& path) {
  return !path.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

Result<Json> read_attributes(const fs::path& root) {
  std::error_code none;
  if (fs::exists(root / ".zattrs", none)) return read_json(root / ".zattrs");
  if (fs::exists(root / "zarr.json", none)) {
    return unsupported(root, "is Zarr of version 3 (OME-Zarr 0.5); version 2 (OME-Zarr 0.4) is read");
  }
  return unsupported(root, "is a directory without the metadata of OME-Zarr (.zattrs)");
}

// Whether a directory has an entry that is no metadata: a chunk, or a directory of chunks. True if it cannot be listed.
bool has_chunks(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with('.')) return true;
  }
  return static_cast<bool>(error);
}

}  // namespace

ZarrArray::Dimension ZarrArray::dimension(Axis axis) const {
  for (const Dimension& found : dimensions) {
    if (found.axis == axis) return found;
  }
  return {axis, 1, 1, 0};
}

size_t ZarrArray::chunk_bytes() const {
  const Dimension& first = dimensions.front();
  return first.stride * first.chunk * sample_bytes(header.layout.sample);
}

fs::path ZarrArray::chunk_path(uint32_t channel_chunk, uint32_t row_chunk, uint32_t column_chunk) const {
  std::string key;
  for (const Dimension& d : dimensions) {
    if (!key.empty()) key += separator;
    key += std::to_string(d.axis == Axis::kChannel  ? channel_chunk
                          : d.axis == Axis::kRow    ? row_chunk
                          : d.axis == Axis::kColumn ? column_chunk
                                                    : 0);
  }
  return folder / key;
}

Result<ZarrArray> read_zarr_array(const fs::path& root) {
  const auto attributes = read_attributes(root);
  if (!attributes) return attributes.error();
  const fs::path from = root / ".zattrs";
  if (attributes->contains("plate")) return unsupported(root, "is a plate of OME-Zarr: name one field of a well");
  const Json& multiscale = element(member(*attributes, "multiscales"), 0);
  if (multiscale.is_null() && attributes->contains("bioformats2raw.layout")) {
    return unsupported(root, "is a collection of images: name one of them, " + (root / "0").string());
  }
  const Json& dataset = element(member(multiscale, "datasets"), 0);
  const fs::path level(text_member(dataset, "path"));
  if (!is_inside(level)) return bad(from, "names no level of a picture (multiscales, datasets, path)");

  ZarrArray array;
  array.folder = root / level;
  const fs::path path = array.folder / ".zarray";
  const auto json = read_json(path);
  if (!json) return json.error();
  if (const Json& version = member(*json, "zarr_format"); !version.is_number_integer() || version.get<int64_t>() != 2) {
    return unsupported(path, "zarr_format is " + shown(member(*json, "zarr_format")) + "; 2 is read");
  }
  const auto axes = named_axes(multiscale, member(*json, "shape").size());
  if (auto done = take_type(path, *json, array); !done) return done.error();
  if (auto done = take_shape(path, *json, axes, array); !done) return done.error();
  if (auto done = take_fill(path, *json, array); !done) return done.error();
  if (auto done = take_codec(path, *json, array); !done) return done.error();
  take_channels(*attributes, array);
  if (!has_chunks(array.folder)) {
    array.header.warnings.push_back(array.folder.string() + " holds no chunk: all texels have its fill_value");
  }
  const size_t column = axes.size() - 1;
  array.header.pixel_width_um = pixel_size(axes[column], scale_of(multiscale, dataset, column));
  array.header.pixel_height_um = pixel_size(axes[column - 1], scale_of(multiscale, dataset, column - 1));
  return array;
}

}  // namespace onepass::tiles
