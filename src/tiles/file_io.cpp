// file_io.cpp: loops around calls that may transfer less than was asked for.
#include "tiles/file_io.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "files/system.hpp"
#include "files/url.hpp"
#include "files/writers.hpp"
#include "tiles/compress.hpp"
#include "tiles/system.hpp"

namespace onepass::tiles {
namespace {

constexpr uint64_t kStartBytes = uint64_t{64} << 10;  // of a remote file: often its first directory

}  // namespace

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
    if ((errno == ENOENT || errno == ENOTDIR) && files::is_url(path.string())) return files::url_error(path.string());
    return files::file_error(path, errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                             std::string("cannot open it: ") + std::strerror(errno));
  }
  if (status->kind != system::Kind::kFile) {
    return files::file_error(path, ErrorCode::kUnsupported, "is not a regular file, which reading by rows needs");
  }
  file.size = status->size;
  return file;
}

Result<InputHandle> open_input(const std::filesystem::path& path, const remote::SitePtr& site,
                               const remote::Wanted& first) {
  if (!site) return open_input(path);
  auto file = remote::RemoteFile::open(site, path.string(), first);
  if (!file) return file.error();
  InputHandle handle;
  handle.size = (*file)->size();
  handle.remote = std::move(*file);
  return handle;
}

Result<std::optional<InputHandle>> open_remote_tiff(const remote::SitePtr& site) {
  const std::string& name = site->name();
  if (name.ends_with(".zarr")) return std::optional<InputHandle>();
  auto file =
      open_input(name, site, {.kind = remote::Wanted::Kind::kPart, .count = kStartBytes, .refused_is_missing = true});
  if (!file && file.error().code == ErrorCode::kNotFound) return std::optional<InputHandle>();
  if (!file) return file.error();
  std::array<std::byte, 4> start{};
  if (file->size < start.size()) return std::optional<InputHandle>();
  if (auto done = file->read(name, 0, start); !done) return done.error();
  const auto number = [&](size_t at) { return std::to_integer<int>(start[at]); };
  const bool is_little = number(0) == 'I' && number(1) == 'I' && (number(2) == 42 || number(2) == 43) && number(3) == 0;
  const bool is_big = number(0) == 'M' && number(1) == 'M' && number(2) == 0 && (number(3) == 42 || number(3) == 43);
  if (!is_little && !is_big) return std::optional<InputHandle>();
  site->identity.add(file->size, file->remote->version());
  file->cache = std::make_shared<remote::RangeCache>(file->remote);
  return std::optional(std::move(*file));
}

Result<void> InputHandle::read(const std::string& name, uint64_t offset, std::span<std::byte> out) const {
  if (cache) return cache->read(offset, out);
  if (remote) return remote->read(offset, out);
  const int number = read_fully(handle.number(), out.data(), out.size(), offset);
  if (number < 0) return Error{ErrorCode::kBadData, "is truncated", name};
  if (number > 0) return Error{ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(number), name};
  return {};
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
