// zarr_metadata_3.cpp: zarr.json of an array. What is not known is refused, unless it says that it may be ignored.
//
// The codecs of a chunk are applied from left to right when it is written:
//
//     transpose, ...   bytes             gzip, zstd, blosc, crc32c, ...     elements, bytes, bytes
//     transpose, ...   sharding_indexed                                     a chain of its own for each block
#include <algorithm>
#include <numeric>

#include "tiles/text.hpp"
#include "volume_files/zarr_metadata.hpp"
#include "volume_files/zarr_metadata_parts.hpp"

namespace onepass::zarr {
namespace {

constexpr uint64_t kMostShardBlocks = uint64_t{1} << 22;  // an index of 64 MiB

// A codec, a grid or a type: an object with `name` and `configuration`, or the name alone.
struct Named {
  std::string name;
  const Json& configuration;
};

Named named(const Json& json) {
  if (json.is_string()) return {json.get<std::string>(), member(json, "configuration")};
  return {text_member(json, "name"), member(json, "configuration")};
}

// A chain of codecs: of a chunk, of a block of a shard, or of a shard's index.
struct Chain {
  StorageOrder order;            // of the array, before and after transpose
  bool big_endian = false;       // of the codec bytes
  bool has_endian = false;       // whether it states a byte order
  const Json* shards = nullptr;  // the configuration of sharding_indexed
  std::vector<ByteCodec> codecs;
};

// Element (i0, i1, ...) of the transposed array is stored along dimension order[0], order[1], ... of the one before.
Result<void> take_transpose(const ArrayMetadata& array, const Json& configuration, Chain& chain) {
  const Json& order = member(configuration, "order");
  const size_t count = chain.order.size();
  const auto wrong = [&] {
    return bad(array.file,
               tiles::text_of("transpose: order is ", shown(order), ", no permutation of ", count, " dimensions"));
  };
  if (!order.is_array() || order.size() != count) return wrong();
  StorageOrder next;
  std::vector<bool> seen(count);
  for (const Json& entry : order) {
    if (!entry.is_number_unsigned() || entry.get<uint64_t>() >= count || seen[entry.get<size_t>()]) return wrong();
    seen[entry.get<size_t>()] = true;
    next.push_back(chain.order[entry.get<size_t>()]);
  }
  chain.order = next;
  return {};
}

Result<void> take_bytes(const ArrayMetadata& array, const Json& configuration, Chain& chain) {
  const Json& endian = member(configuration, "endian");
  chain.has_endian = !endian.is_null();
  chain.big_endian = is(endian, "big");
  if (chain.has_endian && !chain.big_endian && !is(endian, "little")) {
    return bad(array.file, "bytes: endian is " + shown(endian) + "; little or big was expected");
  }
  return {};
}

std::optional<ByteCodec> byte_codec(std::string_view name) {
  constexpr std::pair<std::string_view, ByteCodec> kKnown[] = {{"gzip", ByteCodec::kZlib},
                                                               {"zstd", ByteCodec::kZstd},
                                                               {"blosc", ByteCodec::kBlosc},
                                                               {"crc32c", ByteCodec::kCrc32c}};
  for (const auto& [known, codec] : kKnown) {
    if (known == name) return codec;
  }
  return std::nullopt;
}

// `what`: the field, for messages.
Result<Chain> read_chain(const ArrayMetadata& array, const Json& codecs, const StorageOrder& order,
                         const std::string& what) {
  Chain chain{.order = order};
  bool is_bytes = false;  // behind the codec that makes bytes of elements
  if (!codecs.is_array()) return bad(array.file, what + " is " + shown(codecs) + "; an array was expected");
  for (const Json& codec : codecs) {
    const auto [name, configuration] = named(codec);
    const auto byte = byte_codec(name);
    Result<void> done;
    if (!byte && name != "transpose" && name != "bytes" && name != "sharding_indexed") {
      return unsupported(array.file, what + ": codec " + shown(codec) +
                                         "; transpose, bytes, blosc, gzip, zstd, crc32c and sharding_indexed are read");
    }
    if (byte.has_value() != is_bytes) {
      return bad(array.file, what + " is " + shown(codecs) + ": " + name + " is at the wrong place");
    }
    if (byte && chain.shards != nullptr) {
      return unsupported(array.file, what + ": " + name + " behind sharding_indexed");
    }
    if (byte) {
      chain.codecs.push_back(*byte);
    } else if (name == "transpose") {
      done = take_transpose(array, configuration, chain);
    } else if (name == "bytes") {
      done = take_bytes(array, configuration, chain);
      is_bytes = true;
    } else {
      chain.shards = &configuration;
      is_bytes = true;
    }
    if (!done) return done.error();
  }
  if (!is_bytes) return bad(array.file, what + " is " + shown(codecs) + ", without the codec bytes");
  return chain;
}

Result<void> take_index(const Json& configuration, ArrayMetadata& array) {
  ShardIndex& index = array.shards.emplace();
  const Json& location = member(configuration, "index_location");
  if (!location.is_null() && !is(location, "end") && !is(location, "start")) {
    return bad(array.file, "sharding_indexed: index_location is " + shown(location) + "; start or end was expected");
  }
  index.at_end = !is(location, "start");
  const Json& codecs = member(configuration, "index_codecs");
  const auto chain = read_chain(array, codecs, {}, "index_codecs");
  if (!chain) return chain.error();
  index.has_crc = chain->codecs == std::vector{ByteCodec::kCrc32c};
  if (chain->shards != nullptr || (!chain->codecs.empty() && !index.has_crc)) {
    return unsupported(array.file, "index_codecs is " + shown(codecs) + "; bytes, and bytes and crc32c, are read");
  }
  if (!chain->has_endian) return bad(array.file, "index_codecs is " + shown(codecs) + ", without endian");
  index.swapped = is_swapped(VoxelType::kUint64, chain->big_endian);
  return {};
}

// Sizes of blocks and strides of the index, both in the order in which a shard is stored.
Result<void> take_block_shape(const Json& configuration, const StorageOrder& order, ArrayMetadata& array) {
  const Json& shape = member(configuration, "chunk_shape");
  if (!shape.is_array() || shape.size() != order.size()) {
    return bad(array.file, "sharding_indexed: chunk_shape is " + shown(shape));
  }
  uint64_t blocks = 1;
  for (size_t i = order.size(); i-- > 0;) {
    Dimension& dimension = array.dimensions[order[i]];
    const auto block = size_of(shape[i], dimension.chunk);
    if (!block || dimension.chunk % *block != 0) {
      return bad(array.file, tiles::text_of("sharding_indexed: chunk_shape is ", shown(shape),
                                            ", which does not divide ", dimension.chunk, " elements of a shard"));
    }
    dimension.block = *block;
    dimension.index_stride = blocks;
    blocks *= dimension.chunk / *block;  // at most 2^22 * 2^31
    if (blocks > kMostShardBlocks) {
      return unsupported(array.file, tiles::text_of("sharding_indexed: chunk_shape is ", shown(shape), ", more than ",
                                                    kMostShardBlocks, " chunks in a shard"));
    }
  }
  array.shards->blocks = blocks;
  return {};
}

Result<void> take_codecs(const Json& json, const Json& chunks, ArrayMetadata& array) {
  StorageOrder order(array.dimensions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  auto chain = read_chain(array, member(json, "codecs"), order, "codecs");
  if (!chain) return chain.error();
  const Json* blocks = &chunks;
  if (chain->shards != nullptr) {
    const Json& configuration = *chain->shards;
    if (auto done = take_index(configuration, array); !done) return done;
    if (auto done = take_block_shape(configuration, chain->order, array); !done) return done;
    blocks = &member(configuration, "chunk_shape");
    chain = read_chain(array, member(configuration, "codecs"), chain->order, "codecs of sharding_indexed");
    if (!chain) return chain.error();
    if (chain->shards != nullptr) {
      return unsupported(array.file, "codecs of sharding_indexed: shards in shards are not read");
    }
  }
  if (!chain->has_endian && array.element_bytes() > 1) {
    return bad(array.file, "codecs: bytes has no endian, which " + std::string(voxel_info(array.type).name) + " needs");
  }
  array.swapped = is_swapped(array.type, chain->big_endian);
  array.codecs = chain->codecs;
  return lay_out_blocks(chain->order, shown(*blocks), array);
}

Result<void> take_key_encoding(const Json& json, ArrayMetadata& array) {
  const auto [name, configuration] = named(json);
  const bool is_default = name == "default";
  if (!is_default && name != "v2") {
    return unsupported(array.file, "chunk_key_encoding is " + shown(json) + "; default and v2 are read");
  }
  const Json& separator = member(configuration, "separator");
  if (!separator.is_null() && !is(separator, ".") && !is(separator, "/")) {
    return bad(array.file, "chunk_key_encoding: separator is " + shown(separator));
  }
  array.key_prefix = is_default ? "c" : "";
  array.separator = is(separator, "/") || (separator.is_null() && is_default) ? '/' : '.';
  return {};
}

// Members that the specification does not name must be understood, unless they say otherwise.
Result<void> check_members(const Json& json, const ArrayMetadata& array) {
  constexpr std::string_view kKnown[] = {"zarr_format",     "node_type",           "shape",
                                         "data_type",       "chunk_grid",          "fill_value",
                                         "codecs",          "attributes",          "chunk_key_encoding",
                                         "dimension_names", "storage_transformers"};
  for (const auto& [name, value] : json.items()) {
    if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) continue;
    const Json& must = member(value, "must_understand");
    if (!must.is_boolean() || must.get<bool>()) {
      return unsupported(array.file, "has the field " + shown(name) + ", which is not known");
    }
  }
  const Json& transformers = member(json, "storage_transformers");
  if (!transformers.is_null() && !transformers.empty()) {
    return unsupported(array.file, "storage_transformers are " + shown(transformers));
  }
  return {};
}

}  // namespace

Result<void> read_version_3(const Json& json, ArrayMetadata& array) {
  if (!is(member(json, "node_type"), "array")) {
    return bad(array.file, "node_type is " + shown(member(json, "node_type")) + "; array was expected");
  }
  if (auto done = check_members(json, array); !done) return done;
  const Json& data_type = member(json, "data_type");
  const auto type = type_of(named(data_type).name);
  if (!type) {
    return unsupported(array.file, "data_type is " + shown(data_type) +
                                       "; uint8, uint16, uint32, uint64, int8, int16, int32, float16 and float32 are "
                                       "read");
  }
  array.type = *type;
  const Json& grid = member(json, "chunk_grid");
  if (named(grid).name != "regular") {
    return unsupported(array.file, "chunk_grid is " + shown(grid) + "; regular is read");
  }
  const Json& chunks = member(member(grid, "configuration"), "chunk_shape");
  if (auto done = take_shape(member(json, "shape"), chunks, array); !done) return done;
  const Json& names = member(json, "dimension_names");
  for (size_t i = 0; i < array.dimensions.size(); ++i) {
    if (element(names, i).is_string()) array.dimensions[i].name = names[i].get<std::string>();
  }
  if (!json.contains("fill_value")) return bad(array.file, "has no fill_value");
  if (auto done = take_fill(member(json, "fill_value"), array); !done) return done;
  if (auto done = take_key_encoding(member(json, "chunk_key_encoding"), array); !done) return done;
  return take_codecs(json, chunks, array);
}

}  // namespace onepass::zarr
