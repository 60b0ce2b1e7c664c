// file_io.cpp: loops around calls that may transfer less than was asked for.
#include "tiles/file_io.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "files/system.hpp"
#include "files/url.hpp"
#include "files/writers.hpp"
#include "tiles/compress.hpp"
#include "tiles/system.hpp"

namespace onepass::tiles {

int read_fully(int descriptor, void* target, size_t count, uint64_t offset) {
  std::span rest(static_cast<std::byte*>(target), count);
  while (!rest.empty()) {
    const ptrdiff_t n = files::system::read_at(descriptor, rest, offset);
    if (n < 0) return errno;
    if (n == 0) return -1;
    rest = rest.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
  return 0;
}

int write_fully(int descriptor, std::span<const std::byte> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ptrdiff_t n = system::write_at(descriptor, bytes, offset);
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
  return 0;
}

Result<std::optional<uint32_t>> crc_of(const std::filesystem::path& path, const files::Handle& file, uint64_t offset,
                                       uint64_t bytes) {
  std::vector<std::byte> buffer(std::min<uint64_t>(bytes, uint64_t{1} << 20));
  uint32_t crc = 0;
  while (bytes > 0) {
    const std::span part = std::span(buffer).first(std::min<uint64_t>(bytes, buffer.size()));
    const int number = read_fully(file.number(), part.data(), part.size(), offset);
    if (number < 0) return std::optional<uint32_t>();
    if (number > 0) {
      return files::file_error(path, ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(number));
    }
    crc = crc32_of(crc, part);
    offset += part.size();
    bytes -= part.size();
  }
  return std::optional(crc);
}

Result<bool> has_checksum(const std::filesystem::path& path, uint64_t offset, uint64_t bytes, uint64_t crc,
                          bool whole) {
  const files::Handle file = system::open_file(path, system::Access::kRead);
  if (!file.valid() && errno == ENOENT) return false;
  const auto status = file.valid() ? system::status(file.number()) : std::nullopt;
  if (!status) {
    return files::file_error(path, ErrorCode::kIo, std::string("cannot open it: ") + std::strerror(errno));
  }
  if (status->kind != system::Kind::kFile || status->size < offset || status->size - offset < bytes) return false;
  if (whole && status->size != bytes) return false;
  const auto found = crc_of(path, file, offset, bytes);
  if (!found) return found.error();
  return *found && **found == crc;
}

Result<InputHandle> open_input(const std::filesystem::path& path) {
  InputHandle file;
  file.handle = system::open_file(path, system::Access::kRead);
  const auto status = file.handle.valid() ? system::status(file.handle.number()) : std::nullopt;
  if (!status) {
    if ((errno == ENOENT || errno == ENOTDIR) && files::is_url(path.string())) {
      return files::file_error(path, ErrorCode::kNotFound, files::kNotUrls);
    }
    return files::file_error(path, errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                             std::string("cannot open it: ") + std::strerror(errno));
  }
  if (status->kind != system::Kind::kFile) {
    return files::file_error(path, ErrorCode::kUnsupported, "is not a regular file, which reading by rows needs");
  }
  file.size = status->size;
  return file;
}

namespace {

Result<void> write_new(const std::filesystem::path& path, std::span<const std::byte> bytes, bool synced) {
  files::Handle file = system::open_file(path, system::Access::kReplace);
  if (!file.valid()) return write_error(path, errno);
  if (const int number = write_fully(file.number(), bytes, 0); number != 0) return write_error(path, number);
  if (synced && !system::sync_data(file.number())) return write_error(path, errno);
  if (!file.close()) return write_error(path, errno);
  return {};
}

}  // namespace

Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return write_new(path, bytes, false);
}

Result<void> write_synced_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return write_new(path, bytes, true);
}

Error write_error(const std::filesystem::path& path, int number) {
  return files::file_error(path, ErrorCode::kIo, std::string("cannot write: ") + std::strerror(number));
}

}  // namespace onepass::tiles
