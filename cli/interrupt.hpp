// interrupt.hpp: an interrupted run leaves nothing half done.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "onepass/result.hpp"

namespace onepass::cli {

/// Makes SIGINT, SIGTERM, SIGHUP and SIGPIPE delete unfinished files and end the process with 128 + the signal's
/// number. A file size limit becomes an ordinary write error.
void handle_signals();

/// Whether a progress bar is on the screen, which an interrupt then wipes.
void set_bar_visible(bool visible);

/// Several files that appear together: they are made in a hidden directory beside their targets and moved in place when
/// all are complete. Destroyed without commit(), it leaves nothing behind. One object at a time.
class FileSet {
 public:
  /// Creates the hidden directory in `directory`. Errors: kIo.
  static Result<FileSet> create(const std::filesystem::path& directory);

  /// Where to write the file that will become `target`. The order of the targets is kept.
  std::filesystem::path add(const std::filesystem::path& target);

  /// Moves all files in place. Errors: kIo.
  Result<void> commit();

  FileSet(FileSet&& other) noexcept : stage_(std::move(other.stage_)), targets_(std::move(other.targets_)) {
    other.stage_.clear();
  }
  FileSet& operator=(FileSet&&) = delete;
  ~FileSet();

 private:
  explicit FileSet(std::filesystem::path stage) : stage_(std::move(stage)) {}
  [[nodiscard]] std::filesystem::path staged(size_t index) const;
  std::filesystem::path stage_;
  std::vector<std::filesystem::path> targets_;
};

}  // namespace onepass::cli
