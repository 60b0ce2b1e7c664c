// target.hpp: the place of an output file: its open directory and its name in it, links followed.
#pragma once

#include "files/system.hpp"

namespace onepass::files {

/// The place of an output, links followed.
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

/// The file `name` in `directory`, of Existing::kNone or kFile. `path`: for messages. Errors: kIo for files that must
/// not be replaced: directories, other files that are not regular, write-protected files.
Result<system::ExistingFile> check_existing(const std::filesystem::path& path, int directory, const std::string& name);

/// Syncs a directory's entries to disk. Skips the hidden directory of a FileSet.
Result<void> sync_directory(const Target& target);

/// An error of the operating system about the output at `path`: what could not be done, and errno as `number`.
Error output_error(const std::filesystem::path& path, const char* what, int number);

}  // namespace onepass::files
