// file_io.hpp: reading and writing at an offset of an open file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "files/target.hpp"
#include "onepass/result.hpp"
#include "remote/range_cache.hpp"

namespace onepass::tiles {

/// Reads `count` bytes at `offset`, all of them. Returns 0, an errno, or -1 if the file ends before.
int read_fully(int descriptor, void* target, size_t count, uint64_t offset);

/// Writes all of `bytes` at `offset`. Returns 0 or an errno.
int write_fully(int descriptor, std::span<const std::byte> bytes, uint64_t offset);

/// The CRC-32 of `bytes` bytes of an open file, from `offset`; none if the file is shorter. `path`: for messages.
/// Errors: kIo.
Result<std::optional<uint32_t>> crc_of(const std::filesystem::path& path, const files::Handle& file, uint64_t offset,
                                       uint64_t bytes);

/// Whether `bytes` bytes of a file, from `offset`, have the CRC-32 `crc`. `whole`: the file has no others. False also
/// for a file that is missing or shorter. Errors: kIo.
Result<bool> has_checksum(const std::filesystem::path& path, uint64_t offset, uint64_t bytes, uint64_t crc, bool whole);

/// A file that is read: on this machine, or of a server, there perhaps through a cache.
struct InputHandle {
  files::Handle handle;
  uint64_t size = 0;
  remote::RemoteFilePtr remote{};
  std::shared_ptr<remote::RangeCache> cache{};

  /// Copies out.size() bytes at `offset`. `name`: of the file, for messages. Errors: kBadData if it ends before, kIo.
  Result<void> read(const std::string& name, uint64_t offset, std::span<std::byte> out) const;

  /// The failure of the server, where a reader took it for damage; else `error`.
  [[nodiscard]] Error cause_of(const Error& error) const {
    return cache && cache->has_failed() ? cache->failure() : error;
  }
};

/// Opens a regular file for reading and finds its size. Errors: kNotFound, kIo.
Result<InputHandle> open_input(const std::filesystem::path& path);

/// The same of a file of `site`, unless that is null. `first`: what is read of it first, or as a whole; the request for
/// it opens the file. Errors: those of remote::Site::get().
Result<InputHandle> open_input(const std::filesystem::path& path, const remote::SitePtr& site,
                               const remote::Wanted& first);

/// The file that a site's address names, with a cache, if it is TIFF; none if it is something else, or if there is no
/// such file: OME-Zarr is a directory. Errors: those of remote::Site::get().
Result<std::optional<InputHandle>> open_remote_tiff(const remote::SitePtr& site);

/// Creates or replaces the file `path` with `bytes`. Errors: kIo.
Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// The same, and syncs the contents to disk.
Result<void> write_synced_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// "cannot write: " and the text of an errno.
Error write_error(const std::filesystem::path& path, int number);

/// The bytes of a text.
inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace onepass::tiles
