// zarr_reader.cpp: one file after the other, chunk by chunk.
#include "tests/volume_files/zarr_reader.hpp"

#ifdef ONEPASS_HAS_BLOSC
#include <blosc.h>
#endif
#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace volume_files_test {
namespace {

using Json = nlohmann::json;
using Bytes = std::vector<std::byte>;
using Shape = std::vector<uint64_t>;

Bytes load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

uint64_t product_of(const Shape& shape) {
  uint64_t product = 1;
  for (const uint64_t extent : shape) product *= extent;
  return product;
}

/// Goes to the next index below `end`; false after the last one.
bool advance(Shape& index, const Shape& end) {
  for (size_t axis = index.size(); axis-- > 0;) {
    if (++index[axis] < end[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

uint32_t crc32c(const Bytes& bytes, size_t count) {
  uint32_t crc = ~uint32_t{0};
  for (size_t i = 0; i < count; ++i) {
    crc ^= std::to_integer<uint32_t>(bytes[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
  }
  return ~crc;
}

struct Reader {
  size_t voxel = 0;
  std::string problem;

  /// Copies a box of `shape` voxels to its place in an array of `whole`, cut at its end.
  void put(const Bytes& from, const Shape& shape, const Shape& first, Bytes& to, const Shape& whole) const {
    Shape at(shape.size());
    do {
      uint64_t source = 0;
      uint64_t target = 0;
      bool inside = true;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        source = source * shape[axis] + at[axis];
        target = target * whole[axis] + first[axis] + at[axis];
        inside = inside && first[axis] + at[axis] < whole[axis];
      }
      if (inside) std::memcpy(&to[target * voxel], &from[source * voxel], voxel);
    } while (advance(at, shape));
  }

  /// A chunk by the name of its codec, in both versions; "": it is stored as it is.
  Bytes decompress(const std::string& codec, const Bytes& from, size_t size) {
    Bytes bytes(size);
    size_t got = 0;
    if (codec.empty()) {
      return from;
    } else if (codec == "zstd") {
      got = ZSTD_decompress(bytes.data(), size, from.data(), from.size());
#ifdef ONEPASS_HAS_BLOSC
    } else if (codec == "blosc") {
      got = static_cast<size_t>(blosc_decompress_ctx(from.data(), bytes.data(), size, 1));
      size_t element = 0;
      int flags = 0;
      blosc_cbuffer_metainfo(from.data(), &element, &flags);
      if (element != voxel) problem = "Blosc's elements are no voxels";
#endif
    }
    if (got != size) problem = "a chunk of " + codec + " has another size";
    return bytes;
  }

  Bytes decode(const Json& codecs, const Bytes& from, const Shape& shape) {
    if (codecs.at(0).at("name") == "sharding_indexed") return decode_shard(codecs[0]["configuration"], from, shape);
    if (codecs.at(0).at("name") != "bytes" || codecs[0]["configuration"]["endian"] != "little") problem = "codec";
    const uint64_t size = product_of(shape) * voxel;
    if (codecs.size() > 1 && codecs[1]["name"] == "blosc" && codecs[1]["configuration"]["typesize"] != voxel) {
      problem = "typesize";
    }
    Bytes bytes = decompress(codecs.size() > 1 ? codecs[1]["name"].get<std::string>() : "", from, size);
    if (bytes.size() != size) problem = "a chunk has another size";
    bytes.resize(size);
    return bytes;
  }

  Bytes decode_shard(const Json& shard, const Bytes& from, const Shape& shape) {
    const Shape inner = shard["chunk_shape"];
    Shape counts;
    for (size_t axis = 0; axis < shape.size(); ++axis) counts.push_back(shape[axis] / inner[axis]);
    Bytes bytes(product_of(shape) * voxel);
    const uint64_t index_bytes = product_of(counts) * 16;
    const bool known = shard["index_location"] == "end" && shard["index_codecs"][0]["name"] == "bytes" &&
                       shard["index_codecs"][1]["name"] == "crc32c";
    if (!known || from.size() < index_bytes + 4) {
      problem = "a shard has no index";
      return bytes;
    }
    const size_t begin = from.size() - index_bytes - 4;
    const Bytes index(from.begin() + static_cast<ptrdiff_t>(begin), from.end());
    uint32_t crc = 0;
    std::memcpy(&crc, &index[index_bytes], 4);
    if (crc != crc32c(index, index_bytes)) problem = "the index of a shard has another checksum";
    uint64_t used = 0;
    Shape at(shape.size());
    for (size_t i = 0;; ++i) {
      uint64_t place[2];
      std::memcpy(place, &index[i * 16], 16);
      if (place[0] != UINT64_MAX) {
        used += place[1];
        if (place[0] + place[1] > begin) {
          problem = "a chunk lies behind the index";
          return bytes;
        }
        const auto first = from.begin() + static_cast<ptrdiff_t>(place[0]);
        Shape voxels = at;
        for (size_t axis = 0; axis < at.size(); ++axis) voxels[axis] *= inner[axis];
        put(decode(shard["codecs"], Bytes(first, first + static_cast<ptrdiff_t>(place[1])), inner), inner, voxels,
            bytes, shape);
      }
      if (!advance(at, counts)) break;
    }
    if (used != begin) problem = "a shard has bytes that no chunk has";
    return bytes;
  }
};

}  // namespace

Json read_json(const std::filesystem::path& file) {
  const Bytes bytes = load(file);
  return Json::parse(reinterpret_cast<const char*>(bytes.data()),
                     reinterpret_cast<const char*>(bytes.data()) + bytes.size(), nullptr, false);
}

ZarrVoxels read_zarr_array(const std::filesystem::path& folder) {
  const bool is_3 = std::filesystem::exists(folder / "zarr.json");
  const Json json = read_json(folder / (is_3 ? "zarr.json" : ".zarray"));
  ZarrVoxels array;
  if (!json.is_object() || !json.contains("shape")) {
    array.problem = "no metadata in " + folder.string();
    return array;
  }
  array.shape = json["shape"].get<Shape>();
  array.type = json[is_3 ? "data_type" : "dtype"].get<std::string>();
  const Shape chunk = (is_3 ? json["chunk_grid"]["configuration"]["chunk_shape"] : json["chunks"]).get<Shape>();
  Reader reader;
  const size_t digit = array.type.find_first_of("0123456789");
  reader.voxel = std::stoul(array.type.substr(digit)) / (is_3 ? 8 : 1);
  array.bytes.resize(product_of(array.shape) * reader.voxel);
  Shape counts;
  for (size_t axis = 0; axis < chunk.size(); ++axis) {
    counts.push_back((array.shape[axis] + chunk[axis] - 1) / chunk[axis]);
  }
  Shape at(chunk.size());
  do {
    std::filesystem::path file = is_3 ? folder / "c" : folder;
    Shape first = at;
    for (size_t axis = 0; axis < at.size(); ++axis) {
      file /= std::to_string(at[axis]);
      first[axis] *= chunk[axis];
    }
    if (!std::filesystem::exists(file)) continue;  // the fill value, 0
    const Bytes stored = load(file);
    Bytes voxels;
    if (is_3) {
      voxels = reader.decode(json["codecs"], stored, chunk);
    } else {
      const Json& compressor = json["compressor"];
      voxels = reader.decompress(compressor.is_null() ? "" : compressor["id"].get<std::string>(), stored,
                                 product_of(chunk) * reader.voxel);
      if (voxels.size() != product_of(chunk) * reader.voxel) reader.problem = "a chunk has another size";
      voxels.resize(product_of(chunk) * reader.voxel);
    }
    reader.put(voxels, chunk, first, array.bytes, array.shape);
  } while (advance(at, counts));
  array.problem = reader.problem;
  return array;
}

}  // namespace volume_files_test
