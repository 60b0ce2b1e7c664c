// chunk_writer.hpp: encodes slabs of voxels as chunks and writes them to files of one chunk or of many.
//
// A slab is what a block has of one row of chunks in z. Its chunks are encoded by all threads. With shards (files of
// several chunks) those of a slab are appended to their files in the order z, y, x, whatever thread ended first, and
// the index of a file follows its last chunk: encoded chunks wait in memory for the others of their batch only.
//
//     file   | chunk | chunk | ... | offset and size of every chunk, 2^64-1 for chunks of zeros | CRC-32C |
//
// Chunks whose bytes are all 0, the fill value, are not stored, and neither are files without chunks.
// Sources: "Zarr core specification", version 3, 2024; "Sharding codec", version 1.0 (ZEP 2), 2023; "Zarr storage
// specification version 2", 2022.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "tiles/compress.hpp"
#include "tiles/worker_pool.hpp"
#include "volume_files/volume_layout.hpp"

namespace onepass::volumes {

/// Voxels of a level in memory. The box begins at a chunk per axis and is no deeper than a chunk.
struct Slab {
  const std::byte* data = nullptr;
  size_t row_stride = 0;
  size_t plane_stride = 0;
  VolumeBox box;  ///< In voxels of the level.
};

/// Writes the chunks of one block at a time.
class ChunkWriter {
 public:
  ChunkWriter(const VolumeLayout& layout, tiles::WorkerPool& pool);

  /// Forgets files that are not complete: those of a block that failed.
  void begin_block() { open_.clear(); }

  /// Writes a slab. Slabs of a level come in order of z. Errors: kIo. May throw std::exception.
  Result<void> write(uint32_t volume, uint32_t level, const Slab& slab);

  [[nodiscard]] uint64_t bytes_written() const { return bytes_; }

  /// Memory for encoded chunks and for chunks that are being encoded.
  static uint64_t memory_bytes(const VolumeLayout& layout, uint32_t threads);

 private:
  struct ChunkPlace {
    VolumeSize chunk;  ///< Its number in the level, per axis.
    VolumeSize shard;
    uint32_t inner = 0;  ///< Its number in the shard.
  };

  /// A file that is being written.
  struct OpenShard {
    std::filesystem::path path;
    uint64_t end = 0;
    std::vector<uint64_t> index;  ///< Offset and size of each chunk.
  };
  using ShardKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;  // level, z, y, x

  [[nodiscard]] std::vector<ChunkPlace> places_of(const LevelLayout& level, const Slab& slab) const;
  void encode(const LevelLayout& level, const Slab& slab, const VolumeSize& chunk, tiles::Bytes& out) const;
  Result<void> write_files(uint32_t volume, uint32_t level, const Slab& slab, const std::vector<ChunkPlace>& places);
  Result<void> append(uint32_t volume, uint32_t level, std::span<const ChunkPlace> places,
                      std::span<const tiles::Bytes> encoded);
  Result<void> append_pieces(OpenShard& shard, std::span<const tiles::Bytes> pieces);
  Result<void> finish_shards(uint32_t level, const VolumeBox& box);
  Result<void> finish(OpenShard& shard);

  const VolumeLayout& layout_;
  tiles::WorkerPool& pool_;
  std::map<ShardKey, OpenShard> open_;
  std::vector<tiles::Bytes> encoded_;  // a batch; kept, because fresh pages cost as much as a copy
  std::atomic<uint64_t> bytes_{0};
};

}  // namespace onepass::volumes
