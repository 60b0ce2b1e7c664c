// journal.hpp: the record of an unfinished output: which rows of tiles are complete, with sizes and checksums.
//
//     onepass tiles version=... input=... #5d2c01fe     the input and the options
//     0 12 1834 3735928559 1790 12648430 #0a91e3b7      level, row, entry
//
// Each line of the file `journal` in the working directory ends with the CRC-32 of what stands before it. Reading stops
// at the first line whose checksum does not match: a killed process or a power failure left it. Rows of tiles are
// recorded in groups: all tiles of a group are synced to disk, then one write appends its lines.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "files/target.hpp"
#include "onepass/result.hpp"

namespace onepass::tiles {

/// When a group is recorded. A process that is killed loses at most one group. TIFF syncs its own file. DeepZoom
/// and OME-Zarr sync the whole file system (syncfs), also the data of other processes.
struct GroupLimits {
  uint64_t bytes = uint64_t{256} << 20;  ///< Of its tiles.
  std::chrono::milliseconds time{5000};  ///< Since its first row.
};
/// For tests, which need groups of a few rows.
inline GroupLimits group_limits;

class Journal {
 public:
  /// What open() does with a working directory that exists.
  enum class Old {
    kRefuse,
    kResume,
    kReplace,  ///< Starts a new journal in it, whose rows are recorded by the last flush() only.
  };

  /// Creates or opens the working directory. `identity`: one line.
  /// Errors: kInvalidArgument if there is an old one that is refused, or resumed and its identity differs; kBadData if
  /// its first line is damaged; kIo.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& work, const std::string& identity, Old old);

  /// The rows of tiles that are complete, with their entries, by level and row.
  using Rows = std::map<std::pair<uint32_t, uint32_t>, std::string>;
  [[nodiscard]] const Rows& complete() const { return complete_; }

  /// Removes a row from complete(): its tiles are not what was recorded.
  void forget(uint32_t level, uint32_t row) { complete_.erase({level, row}); }

  /// The rows in the journal of another process that has ended. Errors: as open().
  static Result<Rows> read(const std::filesystem::path& work, const std::string& identity);

  /// Adds a row whose tiles, of `bytes` bytes, have been written. True: flush() is due, and this is the only call that
  /// says so until it has ended. Threads: any number of calls at once.
  [[nodiscard]] bool add(uint32_t level, uint32_t row, const std::string& entry, uint64_t bytes);

  /// Calls `sync`, which syncs the tiles of all added rows, then records these rows. Threads: as add(). Errors: kIo.
  using Sync = std::function<Result<void>()>;
  Result<void> flush(const Sync& sync);

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path path_;
  files::Handle file_;
  Rows complete_;
  bool grouped_ = true;
  std::mutex writing_;  // of flush(), so that groups follow each other
  std::mutex mutex_;    // of the members below
  std::string lines_;
  uint64_t bytes_ = 0;
  Clock::time_point first_;
  bool announced_ = false;
};

}  // namespace onepass::tiles
