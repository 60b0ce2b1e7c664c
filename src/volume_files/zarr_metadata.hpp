// zarr_metadata.hpp: what a Zarr array states of itself, versions 2 and 3, in one form.
//
//     version 2    a chunk is a file, and a block
//     version 3    a chunk is a file; with the codec sharding_indexed it is a shard, which holds many blocks and an
//     index
//
// A block is what is compressed by itself: without shards the chunk, else what the specification calls an inner chunk.
// Sources: "Zarr storage specification version 2", 2022; "Zarr core specification version 3.1", 2025, and its codecs
// bytes, transpose, gzip, zstd, blosc, crc32c and sharding_indexed (ZEP 2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onepass/result.hpp"
#include "onepass/volume_stream.hpp"
#include "remote/site.hpp"

namespace onepass::zarr {

/// Arrays of more dimensions are refused.
inline constexpr size_t kMostDimensions = 8;
/// One number per dimension, in the order of the shape.
using Counts = std::array<uint32_t, kMostDimensions>;

/// A step of decoding a block that changes bytes, not elements.
enum class ByteCodec {
  kZlib,  ///< zlib or gzip.
  kZstd,
  kBlosc,
  kCrc32c,  ///< Four bytes behind the others.
};

struct Dimension {
  uint32_t size = 1;          ///< Elements of the array, up to 2^31.
  uint32_t chunk = 1;         ///< Elements of a chunk.
  uint32_t block = 1;         ///< Elements of a block, which divides `chunk`.
  size_t block_stride = 1;    ///< Elements of a decoded block between two neighbours along this dimension.
  uint64_t index_stride = 0;  ///< Entries of a shard's index between two neighbouring blocks.
  std::string name;           ///< Version 3's dimension_names; may be empty.
};

/// Where the index of a shard is: 16 bytes per block, offset and length, and perhaps four bytes of CRC-32C.
struct ShardIndex {
  bool at_end = true;
  bool swapped = false;  ///< The byte order of the numbers is not the machine's.
  bool has_crc = false;
  uint64_t blocks = 1;  ///< Entries.
  [[nodiscard]] uint64_t bytes() const { return blocks * 16 + (has_crc ? 4 : 0); }
};

struct ArrayMetadata {
  remote::SitePtr site;          ///< Null: on this machine.
  std::filesystem::path folder;  ///< Of the array.
  std::filesystem::path file;    ///< .zarray or zarr.json, for messages.
  VoxelType type = VoxelType::kUint8;
  bool swapped = false;             ///< The byte order of the elements is not the machine's.
  std::array<std::byte, 8> fill{};  ///< The element of blocks that are not stored, in the machine's byte order.
  std::vector<Dimension> dimensions;
  std::vector<ByteCodec> codecs;  ///< In the order in which the writer applied them.
  std::optional<ShardIndex> shards;
  std::string key_prefix;  ///< Of the name of a chunk: "c" of version 3.
  char separator = '.';

  [[nodiscard]] size_t element_bytes() const { return voxel_info(type).bytes; }
  [[nodiscard]] size_t block_bytes() const;
  /// The most bytes that a stored block of this array can have.
  [[nodiscard]] uint64_t most_stored_bytes() const;
  /// The file of a chunk, which is given by its number along each dimension.
  [[nodiscard]] std::filesystem::path chunk_path(const Counts& chunk) const;
};

/// The most bytes that a codec can make of `bytes`.
uint64_t most_encoded_bytes(ByteCodec codec, uint64_t bytes);

/// Whether a directory is an array of Zarr.
bool is_array(const std::filesystem::path& folder, const remote::SitePtr& site);

/// Reads the metadata of the array in `folder`, of `site` unless that is null.
/// Errors: kNotFound, kIo, kBadData, kUnsupported, with the file as context.
Result<ArrayMetadata> read_array_metadata(const std::filesystem::path& folder, const remote::SitePtr& site = nullptr);

}  // namespace onepass::zarr
