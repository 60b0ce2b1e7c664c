// file_io.cpp: see file_io.hpp.
#include "tiles/file_io.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "files/writers.hpp"

namespace onepass::tiles {

int read_fully(int descriptor, void* target, size_t count, uint64_t offset) {
  auto* out = static_cast<std::byte*>(target);
  while (count > 0) {
    const ssize_t n = ::pread(descriptor, out, count, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return -1;
    out += n;
    offset += static_cast<uint64_t>(n);
    count -= static_cast<size_t>(n);
  }
  return 0;
}

int write_fully(int descriptor, std::span<const std::byte> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
  return 0;
}

Result<InputHandle> open_input(const std::filesystem::path& path) {
  InputHandle file;
  file.handle = files::Handle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file.handle.valid() || ::fstat(file.handle.number(), &status) != 0) {
    return files::file_error(path, errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                             std::string("cannot open it: ") + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return files::file_error(path, ErrorCode::kUnsupported, "is not a regular file, which reading by rows needs");
  }
  file.size = static_cast<uint64_t>(status.st_size);
  return file;
}

Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  files::Handle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return write_error(path, errno);
  if (const int number = write_fully(file.number(), bytes, 0); number != 0) return write_error(path, number);
  if (!file.close()) return write_error(path, errno);
  return {};
}

bool lock_file(int descriptor, int kind) { return ::flock(descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

Error write_error(const std::filesystem::path& path, int number) {
  return files::file_error(path, ErrorCode::kIo, std::string("cannot write: ") + std::strerror(number));
}

}  // namespace onepass::tiles
