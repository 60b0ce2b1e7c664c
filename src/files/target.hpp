// target.hpp: the place of an output file: its open directory and its name in it, links followed.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "onepass/result.hpp"

namespace onepass::files {

/// A file descriptor, closed by the destructor.
class Handle {
 public:
  Handle() = default;
  explicit Handle(int number) : number_(number) {}
  Handle(Handle&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Handle();
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  /// Closes it now. False, with errno set, if that fails, for example because a late write failed.
  bool close();

 private:
  int number_ = -1;
};

/// The place of an output, links followed. Files created and renamed through `handle` stay in that directory, even if
/// its path leads elsewhere by then.
struct Target {
  std::filesystem::path path;       ///< As the caller wrote it, for messages.
  std::filesystem::path directory;  ///< Absolute; a link as last component was followed.
  Handle handle;                    ///< The open directory.
  std::string name;                 ///< Of the file in it; not a link when it was checked.

  [[nodiscard]] Error error(const char* what, int number) const;
};

/// Follows `path` to its final target. A symbolic link as last component is followed by the rule of Linux's
/// protected_symlinks, even if that is switched off: in a sticky directory that everybody may write to, only if the
/// link belongs to the caller or to the directory's owner. Errors: kIo, as AtomicFile::create.
Result<Target> open_target(const std::filesystem::path& path);

/// The status of `name` in `directory`; empty if it does not exist. `path`: for messages. Errors: kIo for files that
/// must not be replaced: directories, other files that are not regular, write-protected files.
Result<std::optional<struct stat>> check_existing(const std::filesystem::path& path, int directory,
                                                  const std::string& name);

/// Syncs a directory's entries to disk. Skips file systems that cannot do this, and directories that may not be read.
Result<void> sync_directory(const Target& target);

/// Syncs a file's contents and attributes to disk; false with errno if the disk fails.
bool sync_file(int descriptor);

}  // namespace onepass::files
