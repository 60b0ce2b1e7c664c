// shard_files.hpp: the directory in which shards and their merge work: that of the unfinished output.
//
//     OUT.unfinished/shards             the input, the options and the number of shards, one field per line. Shards
//     lock it
//                                       shared while they run, the merge alone
//     OUT.unfinished/shard_3/lock       locked by the process that makes shard 3
//     OUT.unfinished/shard_3/journal    rows of tiles that are complete, see Journal
//     OUT.unfinished/shard_3/tiles      TIFF: encoded tiles; COG: level_0, level_1, ...
//     OUT.unfinished/shard_3/rows       unrounded rows for the merge
//     OUT.unfinished/shard_3/complete   written last, when all else is on disk: sizes and checksums of rows
//                                       and journal, which has those of all tiles
//
// DeepZoom tiles and chunks of OME-Zarr have names of their own: all shards write them into the directory of the output
// that the merge completes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files/target.hpp"
#include "tiles/journal.hpp"
#include "tiles/output.hpp"
#include "tiles/worker_pool.hpp"

namespace onepass::tiles {

/// Creates `path` with `text` in one step, unless it exists. Returns 0 or an errno.
int create_whole(const std::filesystem::path& path, const std::string& text);

/// "3, 7 to 9": numbers in ascending order.
std::string list_text(const std::vector<uint32_t>& numbers);

/// The directory of one shard, open for writing.
class ShardWriter {
 public:
  /// Creates directory and files, or empties those of a run that was interrupted.
  /// Errors: kInvalidArgument if other shards have another input or other options, naming the first that differs; kIo,
  /// also if another process makes the shard or merges.
  static Result<std::unique_ptr<ShardWriter>> open(const OutputPlan& plan);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool was_complete() const { return was_complete_; }  ///< Then nothing has been opened.
  [[nodiscard]] Journal& journal() { return *journal_; }

  /// Appends an unrounded row.
  Result<void> keep(std::span<const std::byte> row);
  [[nodiscard]] uint64_t kept_bytes() const { return end_ + buffer_.size(); }

  /// Syncs everything to disk and marks the shard as complete. All other files are closed before.
  Result<void> finish();

 private:
  Result<void> flush();

  std::filesystem::path work_, path_;
  bool was_complete_ = false;
  files::Handle shards_, lock_, rows_;  // the locks last as long as this object
  std::unique_ptr<Journal> journal_;
  Bytes buffer_;
  uint64_t end_ = 0;  // of what has been written to rows_
};

/// All shards, for their merge.
class ShardReader {
 public:
  /// Errors: as ShardWriter::open(); kNotFound naming all shards that are missing or not complete; kBadData.
  static Result<std::unique_ptr<ShardReader>> open(const OutputPlan& plan);

  /// Compares all tiles of the shards with their journals. Errors: kBadData for the first shard that is damaged; kIo.
  Result<void> check_tiles(const Output& output, WorkerPool& pool) const;

  /// Reads the next unrounded row. Rows come in order.
  Result<void> read_row(std::span<std::byte> row);

  /// The directory of the shard that has made a row of tiles, and its journal entry. Called in the order of TileOrder.
  struct Entry {
    std::filesystem::path path;
    std::string text;
  };
  Result<Entry> entry(TileOrder::Place place);

 private:
  explicit ShardReader(const OutputPlan& plan) : plan_(plan), count_(plan.options.merge) {}
  Result<bool> check(uint32_t index) const;
  [[nodiscard]] Error damaged(uint32_t index, const std::string& what) const;
  [[nodiscard]] std::filesystem::path directory(uint32_t index) const;
  [[nodiscard]] Error error(uint32_t index, ErrorCode code, const std::string& text) const;

  const OutputPlan& plan_;
  uint32_t count_;
  files::Handle shards_;
  // Of read_row():
  files::Handle rows_;
  uint32_t row_shard_ = 0;
  uint32_t rows_left_ = 0;
  uint64_t offset_ = 0;
  // Of entry():
  uint32_t entry_shard_ = 0;
  RowPlan entry_plan_;
  Journal::Rows entries_;
};

}  // namespace onepass::tiles
