// zarr_shards.hpp: open shards of a Zarr array and their indexes.
//
//     shard    block block block ... index     or     index block block block ...
//     index    one entry per block: offset, length (64 bits each); all bits set: the block is not stored
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tiles/file_io.hpp"
#include "volume_files/zarr_metadata.hpp"

namespace onepass::zarr {

/// A shard, opened by the first thread that needs it. All members may be called by several threads.
class Shard {
 public:
  struct Range {
    uint64_t offset = 0;
    uint64_t bytes = 0;
    [[nodiscard]] bool is_stored() const { return offset != UINT64_MAX || bytes != UINT64_MAX; }
  };

  explicit Shard(std::filesystem::path path) : path_(std::move(path)) {}

  /// Opens the file and reads and checks its index, if that has not been done yet. False: there is no such file, and no
  /// block of it is stored. Errors: kIo, kBadData, kUnsupported; the same for every further call.
  Result<bool> open(const ArrayMetadata& array);

  /// Memory of a file that its server sends as a whole only.
  [[nodiscard]] uint64_t kept_bytes() const { return kept_bytes_; }

  /// Of an open shard.
  [[nodiscard]] Range range(uint64_t entry) const { return index_[entry]; }
  Result<void> read(const Range& range, std::span<std::byte> out) const {
    return file_.read(path_.string(), range.offset, out);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  enum class State { kNew, kOpening, kOpen, kMissing, kFailed };

  Result<State> open_file(const ArrayMetadata& array);
  Result<void> read_index(const ArrayMetadata& array);
  Result<void> check_ranges(const ArrayMetadata& array, uint64_t index_offset) const;

  std::filesystem::path path_;
  std::mutex mutex_;
  std::condition_variable changed_;  // the state
  State state_ = State::kNew;
  Error failure_;
  std::atomic<uint64_t> kept_bytes_ = 0;
  tiles::InputHandle file_;
  std::vector<Range> index_;
};

/// The shards that were used last.
class ShardCache {
 public:
  explicit ShardCache(const ArrayMetadata& array);

  /// The shard of a chunk, perhaps not open yet. A shard lives at least as long as the caller holds it.
  std::shared_ptr<Shard> shard(const ArrayMetadata& array, const Counts& chunk);

  /// Bytes of all indexes, if `threads` threads hold one shard each. Files that servers send as a whole are not in it.
  [[nodiscard]] uint64_t memory_bytes(uint32_t threads) const { return (most_ + threads) * index_bytes_; }

 private:
  uint64_t index_bytes_;
  size_t most_;  // shards
  std::mutex mutex_;
  std::vector<std::pair<Counts, std::shared_ptr<Shard>>> shards_;  // the last one was used last
};

}  // namespace onepass::zarr
