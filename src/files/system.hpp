// system.hpp: all that onepass::files needs of the operating system. system_posix.cpp and system_windows.cpp implement
// it; no other source of onepass::files calls the system.
//
// Outputs are named by an open directory and a name in it, so that files created and renamed stay in that directory
// even if its path leads elsewhere by then. Functions that fail return false or an invalid handle and set errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "onepass/result.hpp"

namespace onepass::files {

/// An open file or directory, closed by the destructor.
class Handle {
 public:
  Handle() = default;
  explicit Handle(int number) : number_(number) {}
  Handle(Handle&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Handle() {
    if (valid()) (void)close();
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  /// Closes it now. False, with errno set, if that fails, for example because a late write failed.
  bool close();

 private:
  int number_ = -1;
};

struct Target;

namespace system {

/// Fills `bytes`, at most 256, with random ones, for names that no other process chooses.
void random(std::span<std::byte> bytes);

/// ---- Inputs

/// Opens a file, pipe or device for reading.
Handle open_input(const std::filesystem::path& path);

struct Input {
  bool directory = false;
  bool regular = false;  ///< Has a size and can be read at any position.
  size_t size = 0;       ///< Of a regular file, else 0.
};
[[nodiscard]] std::optional<Input> status(int file);

/// Reads up to bytes.size() bytes, fewer only at the end of the input. The number of bytes read, or -1.
[[nodiscard]] ptrdiff_t read(int file, std::span<std::byte> bytes);

/// The same at a position of a regular file.
[[nodiscard]] ptrdiff_t read_at(int file, std::span<std::byte> bytes, uint64_t position);

/// ---- Outputs

/// Finds the directory and name of an output and follows links by the rules of open_target().
Result<void> find_target(Target& target);

enum class Existing {
  kNone,
  kFile,
  kDirectory,
  kOther,      ///< Not a regular file.
  kProtected,  ///< A regular file that may not be written; errno says why.
  kUnknown,    ///< The system does not tell; errno says why.
};
struct ExistingFile {
  Existing kind = Existing::kNone;
  uint32_t permissions = 0;  ///< For set_permissions().
};
[[nodiscard]] ExistingFile existing(int directory, const char* name);

/// Creates a file for writing, with the permissions of any new file. Fails if the name exists.
Handle create_file(int directory, const char* name);

/// Opens a file to sync it. Not a link.
Handle open_file(int directory, const char* name);

/// Creates a directory for the caller alone and opens it. errno is EEXIST if the name exists.
bool create_directory(int directory, const char* name);
Handle open_directory(int directory, const char* name);

/// Numbers that two open directories have in common only if they are the same.
[[nodiscard]] std::optional<std::pair<uint64_t, uint64_t>> identity(int directory);

/// The same of the file or directory that a path leads to, links followed; empty if there is none.
[[nodiscard]] std::optional<std::pair<uint64_t, uint64_t>> identity(const std::filesystem::path& path);

bool write(int file, std::span<const std::byte> bytes);
bool seek(int file, uint64_t position);

/// Gives a file the permissions of the file that it replaces. Failure is harmless: the output is written all the same.
void set_permissions(int file, uint32_t permissions);

/// Syncs a file's contents and attributes to disk.
bool sync(int file);

/// Syncs a directory's entries to disk, where the system and the file system can do this.
bool sync_directory(int directory);

/// Replaces an existing file in one step.
bool rename(int directory, const char* name, int new_directory, const char* new_name);

/// Gives a file a second name. Not every file system can.
bool link(int directory, const char* name, const char* second_name);

/// Deletes a file or an empty directory. POSIX: may be called in a signal handler.
void remove(int directory, const char* name, bool is_directory);

}  // namespace system
}  // namespace onepass::files
