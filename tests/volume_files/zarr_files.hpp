// zarr_files.hpp: Zarr arrays for tests, written element by element as the specification defines them, and the
// definition of their elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace volume_files_test {

using Bytes = std::vector<std::byte>;
using Position = std::vector<uint32_t>;

struct ZarrFile {
  int version = 3;
  std::string type = "uint16";  ///< As version 3 calls it.
  size_t bytes = 2;             ///< Of an element.
  Position shape, chunk;
  Position block;  ///< Of a shard; empty: no shards.
  bool big_endian = false;
  std::vector<size_t> transpose;        ///< Of a chunk, or of the blocks of a shard; empty: none. Version 2: order F.
  std::vector<size_t> shard_transpose;  ///< Of a shard, before it is divided into blocks.
  std::vector<std::string> codecs;      ///< gzip, zlib (version 2), zstd, blosc, crc32c.
  bool index_at_start = false;
  bool index_has_crc = true;
  bool index_big_endian = false;
  bool version_2_keys = false;
  char separator = '/';
  bool states_separator = true;                   ///< Version 2.
  std::string fill_text = "0";                    ///< JSON
  uint64_t fill = 0;                              ///< Its bits.
  std::function<bool(const Position&)> left_out;  ///< Blocks that are not stored, by their number per dimension.

  /// The bits of an element: those of the fill value where its block is left out.
  [[nodiscard]] uint64_t element(const Position& at) const;
  [[nodiscard]] const Position& block_shape() const { return block.empty() ? chunk : block; }
  /// The text of .zarray or zarr.json.
  [[nodiscard]] std::string metadata() const;
  [[nodiscard]] std::string metadata_name() const { return version == 3 ? "zarr.json" : ".zarray"; }
  /// Writes metadata and chunks to a new folder.
  void write(const std::filesystem::path& folder) const;
};

/// CRC-32C bit by bit.
uint32_t crc32c_of(const Bytes& bytes);

/// The largest position of a shape is its size: calls `each` for all positions, the last dimension fastest.
void for_each(const Position& size, const std::function<void(const Position&)>& each);

}  // namespace volume_files_test
