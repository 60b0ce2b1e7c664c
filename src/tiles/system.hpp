// system.hpp: all that tiles need of the operating system beyond the C++ library and files/system.hpp. system_posix.cpp
// implements it; no other source of tiles calls the system. Functions that fail return false or an invalid handle and
// set errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "files/system.hpp"

namespace onepass::tiles::system {

enum class Access {
  kRead,
  kReadWrite,
  kCreate,   ///< Reading and writing; an absent file is created.
  kReplace,  ///< Reading and writing; an absent file is created, another one is emptied.
  kAppend,   ///< kCreate; whatever is written goes to the end.
};
files::Handle open_file(const std::filesystem::path& path, Access access);

/// A file for reading and writing in the directory of temporary files (TMPDIR), which has no name and is gone when it
/// is closed.
files::Handle create_temporary_file();

enum class Kind { kFile, kDirectory, kLink, kOther };
struct Status {
  Kind kind = Kind::kOther;
  uint64_t size = 0;    ///< Of a file, in bytes.
  uint64_t inode = 0;   ///< No other file of the file system has it.
  int64_t seconds = 0;  ///< Of the last change of the contents, since 1970.
  int64_t nanoseconds = 0;
};
[[nodiscard]] std::optional<Status> status(int file);
[[nodiscard]] std::optional<Status> status(const std::filesystem::path& path);

/// The same of a symbolic link itself, if `path` is one.
[[nodiscard]] std::optional<Status> link_status(const std::filesystem::path& path);

/// May this process create files in a directory?
[[nodiscard]] bool is_writable(const std::filesystem::path& directory);

/// Writes up to bytes.size() bytes at a position of a file; the number of bytes written, or -1.
ptrdiff_t write_at(int file, std::span<const std::byte> bytes, uint64_t position);

bool set_size(int file, uint64_t bytes);

/// Copies bytes within one file system without reading them, up to `bytes` and at least one. 0: the file system cannot;
/// -1: an error.
ptrdiff_t copy(int from, uint64_t read_position, int to, uint64_t write_position, uint64_t bytes);

/// Locks an open file against other processes, without waiting. False: another process holds a lock that excludes this
/// one. True also where the file system has no locks.
enum class Lock { kShared, kExclusive };
bool lock(int file, Lock kind);

/// Writes the contents of a file to disk, and its size.
bool sync_data(int file);

/// Writes all files of the file system of a directory to disk.
bool sync_file_system(const std::filesystem::path& directory);

/// Exchanges two files or directories in one step. errno is ENOTSUP where the file system cannot.
bool exchange(const std::filesystem::path& one, const std::filesystem::path& other);

/// Renames a file in one step; fails if `to` exists, with errno EEXIST.
bool rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);

/// "HOST.PROCESS": no other process of this machine or of those that share its files has it.
[[nodiscard]] std::string process_name();

}  // namespace onepass::tiles::system
