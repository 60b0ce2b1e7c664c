// target.hpp: where an output goes: the directory, open, and the name in it.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "onepass/result.hpp"

namespace onepass::files {

/// An open file that is closed at the end.
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
  /// Closes it now. False with errno where that fails, as after a write that failed late.
  bool close();

 private:
  int number_ = -1;
};

/// An output, links followed. What is created and renamed through `directory` lands in it whatever its path leads to by
/// then.
struct Target {
  std::filesystem::path path;       ///< As the caller wrote it, for messages.
  std::filesystem::path directory;  ///< Absolute, links at the last place followed.
  Handle handle;                    ///< The directory.
  std::string name;                 ///< Of the file in it: not a link, when it was looked at.

  [[nodiscard]] Error error(const char* what, int number) const;
};

/// Follows `path` to where it leads in the end. A symbolic link at the last place is followed under the rule of Linux's
/// protected_symlinks, whether that is switched on or not: in a sticky directory that everybody may write to, only if
/// it belongs to the caller or to the directory's owner. Errors: kIo, as AtomicFile::create.
Result<Target> open_target(const std::filesystem::path& path);

/// What is at `name` in `directory` now; nothing if nothing is. `path`: for messages.
/// Errors: kIo for what must not be replaced: a directory, another file that is not regular, one that is
/// write-protected.
Result<std::optional<struct stat>> check_existing(const std::filesystem::path& path, int directory,
                                                  const std::string& name);

/// Forces a directory's names to the disk. File systems that cannot do it, and directories that may not be read, are
/// left alone.
Result<void> sync_directory(const Target& target);

/// Forces a file's contents and attributes to the disk; false with errno where the disk fails.
bool sync_file(int descriptor);

}  // namespace onepass::files
