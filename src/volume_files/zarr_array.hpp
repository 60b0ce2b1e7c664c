// zarr_array.hpp: reads boxes of a Zarr array on disk or behind HTTP. Only the blocks that a box touches are read, and
// decoded in parallel. Blocks of a server are requested and decoded by threads of their own, more than processors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "tiles/file_io.hpp"
#include "tiles/worker_pool.hpp"
#include "volume_files/zarr_codecs.hpp"
#include "volume_files/zarr_metadata.hpp"

namespace onepass::zarr {

class ShardCache;

/// A box of elements: one number per dimension.
struct ArrayBox {
  Counts first{};
  Counts size{};  ///< At least 1 for the dimensions of the array.
};
/// Bytes of the caller between two neighbours along each dimension.
using Strides = std::array<size_t, kMostDimensions>;

class ZarrArray {
 public:
  /// `pool` must outlive the array.
  ZarrArray(ArrayMetadata metadata, tiles::WorkerPool& pool);
  ~ZarrArray();

  [[nodiscard]] const ArrayMetadata& metadata() const { return metadata_; }

  /// Whether the array's folder has any file that may be a chunk; true if it cannot be listed, as on a server.
  [[nodiscard]] bool has_chunks() const;

  /// Bytes that reading a box holds besides the elements of the caller.
  [[nodiscard]] uint64_t memory_bytes(const ArrayBox& box) const;

  /// Copies a box inside the array to `out`, in the machine's byte order.
  /// Errors: kIo, kBadData, kUnsupported, with the chunk's file as context. Of several, that of the first block.
  Result<void> read(const ArrayBox& box, std::byte* out, const Strides& strides);

 private:
  struct BlockPlan;
  struct Worker;

  [[nodiscard]] BlockPlan plan(const ArrayBox& box) const;
  /// Stored bytes of a block in worker.buffers; false: it is not stored.
  Result<bool> load_block(const Counts& block, Worker& worker);
  Result<bool> load_chunk(const Counts& block, Worker& worker) const;
  Result<void> read_block(const Counts& block, const ArrayBox& box, std::byte* out, const Strides& strides,
                          Worker& worker);
  void put(std::span<const std::byte> elements, const Counts& block, const ArrayBox& box, std::byte* out,
           const Strides& strides) const;
  [[nodiscard]] Error damaged(const Counts& block, const std::string& text) const;
  [[nodiscard]] Counts chunk_of(const Counts& block) const;
  /// The threads that read.
  [[nodiscard]] tiles::WorkerPool& readers() const { return requests_ ? *requests_ : pool_; }

  ArrayMetadata metadata_;
  tiles::WorkerPool& pool_;
  std::unique_ptr<tiles::WorkerPool> requests_;  // null for files of this machine
  std::unique_ptr<ShardCache> shards_;           // null without shards
};

}  // namespace onepass::zarr
