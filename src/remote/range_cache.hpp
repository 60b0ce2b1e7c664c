// range_cache.hpp: a remote file in blocks of 512 KiB, which threads of their own request ahead of its readers.
//
//     file     | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | ...
//                    ^ read   └ requested ahead, where the block before is known, too
//
// Readers of TIFF ask for a few bytes at a time, or for one tile after the other; a block serves many of them. Blocks
// that were not read for the longest time give way. Half of the blocks, at most, wait for their first reader, so that
// readers at several places do not push out each other's.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "files/range_reader.hpp"
#include "remote/remote_file.hpp"
#include "tiles/worker_pool.hpp"

namespace onepass::remote {

class RangeCache final : public files::RangeReader {
 public:
  /// Takes a sixteenth of the memory of the run, from 4 to 32 MiB. The file is the only one that is read of its site.
  explicit RangeCache(RemoteFilePtr file);
  ~RangeCache() override;
  RangeCache(const RangeCache&) = delete;
  RangeCache& operator=(const RangeCache&) = delete;

  Result<void> read(uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] Error failure() const override;
  [[nodiscard]] bool has_failed() const;

  [[nodiscard]] uint64_t memory_bytes() const;

 private:
  struct Block {
    uint64_t number = 0;
    std::vector<std::byte> bytes;
    bool is_ready = false;
    bool was_read = false;
    uint64_t last_use = 0;
  };
  using BlockPtr = std::shared_ptr<Block>;

  BlockPtr add(uint64_t number);
  void make_room();
  void read_ahead(uint64_t number);
  void load(const BlockPtr& block);
  Result<BlockPtr> find(uint64_t number, bool is_next);

  RemoteFilePtr file_;
  size_t most_;  // blocks
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, BlockPtr> blocks_;
  size_t unread_ = 0;  // blocks that were requested ahead and not read yet
  uint64_t uses_ = 0;
  std::optional<Error> failure_;
  std::unique_ptr<tiles::WorkerPool> pool_;  // the last member: its threads use the others
};

}  // namespace onepass::remote
