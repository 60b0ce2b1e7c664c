// journal.hpp: the record of an unfinished output: which rows of tiles are complete.
//
// The file `journal` in the working directory begins with a line that identifies the input and the options. Each row of
// tiles that is complete adds a line. A line without its end, left by a killed process, does not count.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "files/target.hpp"
#include "onepass/result.hpp"

namespace onepass::tiles {

class Journal {
 public:
  /// What open() does with a working directory that exists.
  enum class Old {
    kRefuse,
    kResume,
    kReplace,  ///< Starts a new journal in it.
  };

  /// Creates or opens the working directory. `identity`: one line.
  /// Errors: kInvalidArgument if there is an old one that is refused, or resumed and its identity differs; kIo.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& work, const std::string& identity, Old old);

  /// The rows of tiles that are complete, with their entries, by level and row.
  using Rows = std::map<std::pair<uint32_t, uint32_t>, std::string>;
  [[nodiscard]] const Rows& complete() const { return complete_; }

  /// The rows in the journal of another process that has ended. Errors: as open().
  static Result<Rows> read(const std::filesystem::path& work, const std::string& identity);

  /// Records a row of tiles. Threads: any number of calls at once. Errors: kIo.
  Result<void> record(uint32_t level, uint32_t row, const std::string& entry);

 private:
  std::filesystem::path path_;
  files::Handle file_;
  std::mutex mutex_;
  Rows complete_;
};

}  // namespace onepass::tiles
