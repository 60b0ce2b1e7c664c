// system_posix.cpp: system.hpp on Linux, and on other systems with POSIX.1-2008.
//
// The last component of an output is opened with O_PATH | O_NOFOLLOW, and owner and text of a link are read from that
// descriptor: if the link is replaced meanwhile, the one that was checked is followed.
// Source: Linux, Documentation/admin-guide/sysctl/fs.rst, protected_symlinks.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <random>

#include "files/target.hpp"
#include "files/writers.hpp"

namespace onepass::files {

bool Handle::close() {
  const int number = number_;
  number_ = -1;
  return ::close(number) == 0;
}

namespace system {
namespace {

constexpr int kMostLinks = 40;          // the limit of Linux
constexpr size_t kMostLinkText = 4096;  // PATH_MAX of Linux

// Opens for reading if permitted, because only such a descriptor can be synced.
Handle open_path(int from, const std::filesystem::path& path) {
  const char* name = path.empty() ? "." : path.c_str();
  const int descriptor = ::openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0 || errno != EACCES) return Handle(descriptor);
  return Handle(::openat(from, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// Refuses a link that must not be followed.
Result<void> check_link(const Target& target, const struct stat& link) {
  struct stat directory {};
  if (::fstat(target.handle.number(), &directory) != 0) return target.error("cannot create it", errno);
  const bool shared = (directory.st_mode & S_ISVTX) != 0 && (directory.st_mode & S_IWOTH) != 0;
  if (!shared || link.st_uid == ::geteuid() || link.st_uid == directory.st_uid) return {};
  return file_error(target.path, ErrorCode::kIo,
                    "the symbolic link " + (target.directory / target.name).string() + " belongs to user " +
                        std::to_string(link.st_uid) +
                        ", in a directory that everybody may write to: it is not followed");
}

// Moves `target` to where the link leads.
Result<void> follow(Target& target, int link) {
  std::array<char, kMostLinkText> text{};
  const ssize_t length = ::readlinkat(link, "", text.data(), text.size());
  if (length < 0) return target.error("cannot create it", errno);
  if (static_cast<size_t>(length) == text.size()) return target.error("cannot create it", ENAMETOOLONG);
  const std::filesystem::path next(std::string_view(text.data(), static_cast<size_t>(length)));
  if (!next.has_filename()) return file_error(target.path, ErrorCode::kIo, "is a directory");
  Handle directory = open_path(target.handle.number(), next.parent_path());
  if (!directory.valid()) return target.error("cannot create it", errno);
  target.handle = std::move(directory);
  target.directory /= next.parent_path();
  target.name = next.filename().string();
  return {};
}

}  // namespace

Handle open_input(const std::filesystem::path& path) {
  if (path.native().find('\0') != std::string::npos) {  // the system would open another file
    errno = EINVAL;
    return {};
  }
  return Handle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::optional<Input> status(int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return std::nullopt;
  Input input{.directory = S_ISDIR(found.st_mode), .regular = S_ISREG(found.st_mode)};
  if (input.regular) input.size = static_cast<size_t>(std::max<off_t>(found.st_size, 0));
  return input;
}

ptrdiff_t read(int file, std::span<std::byte> bytes) {
  size_t count = 0;
  while (count < bytes.size()) {
    const ssize_t got = ::read(file, bytes.data() + count, bytes.size() - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    count += static_cast<size_t>(got);
  }
  return static_cast<ptrdiff_t>(count);
}

ptrdiff_t read_at(int file, std::span<std::byte> bytes, uint64_t position) {
  ssize_t got = 0;
  do {
    got = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(position));
  } while (got < 0 && errno == EINTR);
  return got;
}

Result<void> find_target(Target& target) {
  target.handle = open_path(AT_FDCWD, target.path.parent_path());
  if (!target.handle.valid()) return target.error("cannot create it", errno);
  for (int i = 0; i <= kMostLinks; ++i) {
    const Handle last(::openat(target.handle.number(), target.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!last.valid()) {
      if (errno == ENOENT) return {};
      return target.error("cannot create it", errno);
    }
    struct stat status {};
    if (::fstat(last.number(), &status) != 0) return target.error("cannot create it", errno);
    if (!S_ISLNK(status.st_mode)) return {};
    if (auto fine = check_link(target, status); !fine) return fine.error();
    if (auto done = follow(target, last.number()); !done) return done.error();
  }
  return target.error("cannot create it", ELOOP);
}

ExistingFile existing(int directory, const char* name) {
  struct stat found {};
  if (::fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return {errno == ENOENT ? Existing::kNone : Existing::kUnknown};
  }
  if (S_ISDIR(found.st_mode)) return {Existing::kDirectory};
  if (!S_ISREG(found.st_mode)) return {Existing::kOther};
  if (::faccessat(directory, name, W_OK, 0) != 0) return {Existing::kProtected};
  return {Existing::kFile, found.st_mode & 0777U};
}

Handle create_file(int directory, const char* name) {
  return Handle(::openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
}

Handle open_file(int directory, const char* name) {
  return Handle(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
}

bool create_directory(int directory, const char* name) { return ::mkdirat(directory, name, 0700) == 0; }

Handle open_directory(int directory, const char* name) {
  return Handle(::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::optional<std::pair<uint64_t, uint64_t>> identity(int directory) {
  struct stat found {};
  if (::fstat(directory, &found) != 0) return std::nullopt;
  return std::pair<uint64_t, uint64_t>(found.st_dev, found.st_ino);
}

std::optional<std::pair<uint64_t, uint64_t>> identity(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return std::pair<uint64_t, uint64_t>(found.st_dev, found.st_ino);
}

bool write(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

bool seek(int file, uint64_t position) { return ::lseek(file, static_cast<off_t>(position), SEEK_SET) >= 0; }

void set_permissions(int file, uint32_t permissions) {
  if (::fchmod(file, static_cast<mode_t>(permissions)) != 0) errno = 0;
}

bool sync(int file) {
  int result = 0;
  do {
    result = ::fsync(file);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

bool sync_directory(int directory) { return sync(directory) || errno == EBADF; }  // EBADF: opened by O_PATH

bool rename(int directory, const char* name, int new_directory, const char* new_name) {
  return ::renameat(directory, name, new_directory, new_name) == 0;
}

bool link(int directory, const char* name, const char* second_name) {
  return ::linkat(directory, name, directory, second_name, 0) == 0;
}

void remove(int directory, const char* name, bool is_directory) {
  ::unlinkat(directory, name, is_directory ? AT_REMOVEDIR : 0);
}

void random(std::span<std::byte> bytes) {
  if (::getentropy(bytes.data(), bytes.size()) == 0) return;
  // A kernel without it: time and process make names differ, and files are created only where none is.
  std::seed_seq seed{std::chrono::steady_clock::now().time_since_epoch().count(), int64_t{::getpid()}};
  std::mt19937 numbers(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(numbers());
}

}  // namespace system
}  // namespace onepass::files
