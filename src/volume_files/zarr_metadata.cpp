// zarr_metadata.cpp: the metadata of Zarr arrays, what both versions share; and version 2.
#include "volume_files/zarr_metadata.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

#include "image/small_float.hpp"
#include "tiles/text.hpp"
#include "volume_files/zarr_metadata_parts.hpp"

namespace onepass::zarr {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBlockBytes = uint64_t{1} << 30;  // decoded
constexpr uint32_t kMostSize = uint32_t{1} << 31;        // elements of a dimension

constexpr const char* kShortNames[] = {"u1", "i1", "u2", "i2", "u4", "i4", "u8", "f2", "f4"};  // of VoxelType

bool is_float_type(VoxelType type) { return type == VoxelType::kFloat16 || type == VoxelType::kFloat32; }
bool is_signed_type(VoxelType type) {
  return type == VoxelType::kInt8 || type == VoxelType::kInt16 || type == VoxelType::kInt32;
}

template <typename T>
void store(T value, ArrayMetadata& array) {
  std::memcpy(array.fill.data(), &value, sizeof(T));
}

// The low bytes of a number.
void store_bits(uint64_t bits, ArrayMetadata& array) {
  switch (array.element_bytes()) {
    case 1:
      return store(static_cast<uint8_t>(bits), array);
    case 2:
      return store(static_cast<uint16_t>(bits), array);
    case 4:
      return store(static_cast<uint32_t>(bits), array);
    default:
      return store(bits, array);
  }
}

// "0x7fc00000": the bits of a float, highest first.
std::optional<uint64_t> hexadecimal(const Json& value, size_t bytes) {
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = value.get_ref<const std::string&>();
  uint64_t bits = 0;
  if (!text.starts_with("0x") || text.size() != 2 + 2 * bytes) return std::nullopt;
  const auto [end, code] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(bits) : std::nullopt;
}

Result<void> take_float_fill(const Json& value, ArrayMetadata& array) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double number = 0;
  if (value.is_number()) {
    number = value.get<double>();
  } else if (is(value, "NaN")) {
    number = std::numeric_limits<double>::quiet_NaN();
  } else if (is(value, "Infinity") || is(value, "-Infinity")) {
    number = is(value, "Infinity") ? kInfinity : -kInfinity;
  } else if (const auto bits = hexadecimal(value, array.element_bytes())) {
    store_bits(*bits, array);
    return {};
  } else {
    return bad(array.file, "fill_value is " + shown(value));
  }
  if (std::isfinite(number) && std::abs(number) > std::numeric_limits<float>::max()) {
    return bad(array.file, "fill_value is " + shown(value) + ", which is no float");
  }
  const auto single = static_cast<float>(number);
  if (array.type == VoxelType::kFloat32) {
    store(single, array);
  } else {
    store(encode_half(single), array);
  }
  return {};
}

Result<void> take_integer_fill(const Json& value, ArrayMetadata& array) {
  const std::string_view name = voxel_info(array.type).name;
  const auto wrong = [&] {
    return bad(array.file, "fill_value is " + shown(value) + ", which is no " + std::string(name));
  };
  const auto bits = static_cast<unsigned>(8 * array.element_bytes());
  const uint64_t most = is_signed_type(array.type) ? (uint64_t{1} << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
  if (value.is_number_unsigned()) {
    if (value.get<uint64_t>() > most) return wrong();
    store_bits(value.get<uint64_t>(), array);
    return {};
  }
  // Negative, or written with a decimal point.
  if (!value.is_number()) return wrong();
  const double number = value.get<double>();
  const double least = is_signed_type(array.type) ? -static_cast<double>(most) - 1 : 0;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(number >= least && number <= std::min(static_cast<double>(most), kExact)) || number != std::floor(number)) {
    return wrong();
  }
  store_bits(static_cast<uint64_t>(static_cast<int64_t>(number)), array);
  return {};
}

// Version 2's "<u2": byte order, type and bytes.
Result<void> take_type(const Json& json, ArrayMetadata& array) {
  const std::string name = text_member(json, "dtype");
  const bool has_order = !name.empty() && (name[0] == '<' || name[0] == '>' || name[0] == '|');
  for (size_t i = 0; has_order && i < std::size(kShortNames); ++i) {
    if (name.compare(1, std::string::npos, kShortNames[i]) != 0) continue;
    array.type = static_cast<VoxelType>(i);
    array.swapped = is_swapped(array.type, name[0] == '>');
    return {};
  }
  return unsupported(array.file, "dtype is " + shown(member(json, "dtype")) +
                                     "; u1, u2, u4, u8, i1, i2, i4, f2 and f4 with < or > are read");
}

Result<void> take_compressor(const Json& compressor, ArrayMetadata& array) {
  if (compressor.is_null()) return {};
  constexpr std::pair<std::string_view, ByteCodec> kKnown[] = {
      {"zlib", ByteCodec::kZlib}, {"gzip", ByteCodec::kZlib}, {"zstd", ByteCodec::kZstd}, {"blosc", ByteCodec::kBlosc}};
  const std::string id = text_member(compressor, "id");
  const auto* known =
      std::find_if(std::begin(kKnown), std::end(kKnown), [&](const auto& entry) { return entry.first == id; });
  if (known == std::end(kKnown)) {
    return unsupported(array.file,
                       "compressor is " + shown(compressor) + "; blosc, zstd, zlib, gzip and null are read");
  }
  array.codecs.push_back(known->second);
  return {};
}

// Of a chunk on this machine: its key is the name of a file, or begins with the name of a directory.
void find_separator(ArrayMetadata& array) {
  std::error_code none;
  array.separator = '.';
  for (const auto& entry : fs::directory_iterator(array.folder, none)) {
    const std::string name = entry.path().filename().string();
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && entry.is_directory(none)) array.separator = '/';
  }
}

// Older writers of nested directories do not state the separator. A site cannot be listed: chunks that are stored tell.
Result<void> guess_separator(ArrayMetadata& array) {
  if (!array.site) {
    find_separator(array);
    return {};
  }
  array.separator = '.';
  if (array.dimensions.size() == 1) return {};
  Counts first{};
  Counts middle{};
  Counts last{};
  for (size_t i = 0; i < array.dimensions.size(); ++i) {
    const Dimension& along = array.dimensions[i];
    last[i] = (along.size - 1) / along.chunk;
    middle[i] = last[i] / 2;
  }
  const remote::Wanted start{.kind = remote::Wanted::Kind::kPart, .count = 1};
  for (const Counts& chunk : {first, middle, last}) {
    for (const char separator : {'.', '/'}) {
      array.separator = separator;
      const auto got = array.site->get(array.chunk_path(chunk).string(), start);
      if (got || got.error().code == ErrorCode::kUnsupported) return {};  // there, though perhaps not in parts
      if (got.error().code != ErrorCode::kNotFound) return got.error();
    }
  }
  return unsupported(array.file,
                     "states no dimension_separator, and none of its first, middle and last chunk, which would tell "
                     "it, is stored");
}

}  // namespace

std::optional<VoxelType> type_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kShortNames); ++i) {
    if (voxel_info(static_cast<VoxelType>(i)).name == name) return static_cast<VoxelType>(i);
  }
  return std::nullopt;
}

bool is_swapped(VoxelType type, bool big_endian) {
  return voxel_info(type).bytes > 1 && big_endian != (std::endian::native == std::endian::big);
}

Result<void> take_fill(const Json& value, ArrayMetadata& array) {
  if (value.is_null()) return {};
  return is_float_type(array.type) ? take_float_fill(value, array) : take_integer_fill(value, array);
}

Result<void> take_shape(const Json& shape, const Json& chunks, ArrayMetadata& array) {
  const auto wrong = [&] {
    return bad(array.file, "shape is " + shown(shape) + " and the shape of chunks " + shown(chunks));
  };
  if (!shape.is_array() || !chunks.is_array() || shape.size() != chunks.size() || shape.empty()) return wrong();
  if (shape.size() > kMostDimensions) {
    return unsupported(array.file,
                       tiles::text_of("shape has ", shape.size(), " dimensions; ", kMostDimensions, " are read"));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto size = size_of(shape[i], kMostSize);
    const auto chunk = size_of(chunks[i], kMostSize);
    if (!size || !chunk) return wrong();
    array.dimensions.push_back({.size = *size, .chunk = *chunk, .block = *chunk});
  }
  return {};
}

Result<void> lay_out_blocks(const StorageOrder& order, const std::string& chunks, ArrayMetadata& array) {
  uint64_t elements = 1;
  for (size_t i = order.size(); i-- > 0;) {
    Dimension& dimension = array.dimensions[order[i]];
    dimension.block_stride = elements;
    elements *= dimension.block;  // at most 2^30 * 2^31
    if (elements * array.element_bytes() > kMostBlockBytes) {
      return unsupported(array.file, "chunks are " + chunks + ", more than 1 GiB each");
    }
  }
  return {};
}

Result<void> read_version_2(const Json& json, ArrayMetadata& array) {
  if (auto done = take_type(json, array); !done) return done;
  if (auto done = take_shape(member(json, "shape"), member(json, "chunks"), array); !done) return done;
  if (auto done = take_fill(member(json, "fill_value"), array); !done) return done;
  const Json& filters = member(json, "filters");
  if (!filters.is_null() && !filters.empty()) {
    return unsupported(array.file, "filters are " + shown(filters) + "; null is read");
  }
  if (auto done = take_compressor(member(json, "compressor"), array); !done) return done;

  const Json& order = member(json, "order");
  if (!order.is_null() && !is(order, "C") && !is(order, "F")) {
    return bad(array.file, "order is " + shown(order) + "; C or F was expected");
  }
  StorageOrder stored(array.dimensions.size());
  for (size_t i = 0; i < stored.size(); ++i) stored[i] = is(order, "F") ? stored.size() - 1 - i : i;
  if (auto done = lay_out_blocks(stored, shown(member(json, "chunks")), array); !done) return done;

  const Json& separator = member(json, "dimension_separator");
  if (!separator.is_null() && !is(separator, ".") && !is(separator, "/")) {
    return bad(array.file, "dimension_separator is " + shown(separator));
  }
  if (!separator.is_null()) {
    array.separator = is(separator, "/") ? '/' : '.';
    return {};
  }
  return guess_separator(array);
}

size_t ArrayMetadata::block_bytes() const {
  size_t bytes = element_bytes();
  for (const Dimension& dimension : dimensions) bytes *= dimension.block;
  return bytes;
}

uint64_t most_encoded_bytes(ByteCodec codec, uint64_t bytes) {
  // No compressor makes a block longer than by a hundredth and a header.
  return codec == ByteCodec::kCrc32c ? bytes + 4 : bytes + bytes / 100 + 4096;
}

uint64_t ArrayMetadata::most_stored_bytes() const {
  uint64_t bytes = block_bytes();
  for (const ByteCodec codec : codecs) bytes = most_encoded_bytes(codec, bytes);
  return bytes;
}

fs::path ArrayMetadata::chunk_path(const Counts& chunk) const {
  std::string key = key_prefix;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (!key.empty()) key += separator;
    key += std::to_string(chunk[i]);
  }
  return folder / key;
}

bool is_array(const fs::path& folder, const remote::SitePtr& site) {
  const auto old_json = read_json(folder / ".zarray", site);
  if (old_json || old_json.error().code != ErrorCode::kNotFound) return true;
  const auto json = read_json(folder / "zarr.json", site);
  if (!json) return json.error().code != ErrorCode::kNotFound;  // who reads it says what is wrong
  return is(member(*json, "node_type"), "array");
}

Result<ArrayMetadata> read_array_metadata(const fs::path& folder, const remote::SitePtr& site) {
  ArrayMetadata array;
  array.site = site;
  array.folder = folder;
  array.file = folder / "zarr.json";
  auto json = read_json(array.file, site);
  const bool is_version_3 = json || json.error().code != ErrorCode::kNotFound;
  if (!is_version_3) {
    array.file = folder / ".zarray";
    json = read_json(array.file, site);
  }
  if (!json) return json.error();
  const int64_t wanted = is_version_3 ? 3 : 2;
  if (const Json& format = member(*json, "zarr_format");
      !format.is_number_integer() || format.get<int64_t>() != wanted) {
    return unsupported(array.file, tiles::text_of("zarr_format is ", shown(format), "; ", wanted, " is read"));
  }
  if (auto done = is_version_3 ? read_version_3(*json, array) : read_version_2(*json, array); !done) {
    return done.error();
  }
#ifndef ONEPASS_HAS_BLOSC
  if (std::find(array.codecs.begin(), array.codecs.end(), ByteCodec::kBlosc) != array.codecs.end()) {
    return unsupported(array.file, "its chunks are compressed by blosc, and onepass was built without Blosc");
  }
#endif
  return array;
}

}  // namespace onepass::zarr
