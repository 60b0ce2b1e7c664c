// system_posix.cpp: system.hpp on Linux.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "tiles/system.hpp"

namespace onepass::tiles::system {
namespace {

Status from_system(const struct stat& found) {
  Status status;
  status.kind = S_ISREG(found.st_mode)   ? Kind::kFile
                : S_ISDIR(found.st_mode) ? Kind::kDirectory
                : S_ISLNK(found.st_mode) ? Kind::kLink
                                         : Kind::kOther;
  status.size = static_cast<uint64_t>(found.st_size);
  status.inode = found.st_ino;
  status.seconds = found.st_mtim.tv_sec;
  status.nanoseconds = found.st_mtim.tv_nsec;
  return status;
}

bool is_unsupported(int number) { return number == EINVAL || number == ENOSYS || number == ENOTSUP; }

}  // namespace

files::Handle open_file(const std::filesystem::path& path, Access access) {
  // O_NONBLOCK: a pipe is opened, and then refused, without waiting for its other end.
  int flags = O_CLOEXEC | (access == Access::kRead ? O_RDONLY | O_NONBLOCK : O_RDWR);
  if (access == Access::kCreate || access == Access::kReplace || access == Access::kAppend) flags |= O_CREAT;
  if (access == Access::kReplace) flags |= O_TRUNC;
  if (access == Access::kAppend) flags |= O_APPEND;
  return files::Handle(::open(path.c_str(), flags, 0666));
}

files::Handle create_temporary_file() {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(error);
  if (error) return {};
  files::Handle file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  std::string name = (directory / "onepass-XXXXXX").string();  // the file system has no nameless files
  file = files::Handle(::mkostemp(name.data(), O_CLOEXEC));
  if (file.valid()) ::unlink(name.c_str());
  return file;
}

std::optional<Status> status(int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return std::nullopt;
  return from_system(found);
}

std::optional<Status> status(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return from_system(found);
}

std::optional<Status> link_status(const std::filesystem::path& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
  return from_system(found);
}

bool is_writable(const std::filesystem::path& directory) { return ::access(directory.c_str(), W_OK) == 0; }

ptrdiff_t write_at(int file, std::span<const std::byte> bytes, uint64_t position) {
  ssize_t written = 0;
  do {
    written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(position));
  } while (written < 0 && errno == EINTR);
  return written;
}

bool set_size(int file, uint64_t bytes) { return ::ftruncate(file, static_cast<off_t>(bytes)) == 0; }

ptrdiff_t copy(int from, uint64_t read_position, int to, uint64_t write_position, uint64_t bytes) {
  auto read_at = static_cast<off_t>(read_position);
  auto write_at = static_cast<off_t>(write_position);
  const ssize_t copied = ::copy_file_range(from, &read_at, to, &write_at, bytes, 0);
  return copied < 0 && (is_unsupported(errno) || errno == EXDEV) ? 0 : copied;
}

bool lock(int file, Lock kind) {
  return ::flock(file, (kind == Lock::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool sync_data(int file) { return ::fdatasync(file) == 0 || is_unsupported(errno) || errno == EROFS; }

bool sync_file_system(const std::filesystem::path& directory) {
  const files::Handle handle(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return handle.valid() && ::syncfs(handle.number()) == 0;
}

bool exchange(const std::filesystem::path& one, const std::filesystem::path& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (is_unsupported(errno)) errno = ENOTSUP;
  return false;
}

bool rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
  if (errno != EPERM && !is_unsupported(errno)) return false;
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;  // without links
}

std::string process_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + "." + std::to_string(::getpid());
}

}  // namespace onepass::tiles::system
