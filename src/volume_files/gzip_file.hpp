// gzip_file.hpp: the contents of a gzip file of any number of members (RFC 1952), from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "tiles/file_io.hpp"

namespace onepass::volumes {

/// No gzip file holds more bytes per byte: deflate makes 258 bytes of two bits at best.
inline constexpr uint64_t kBestGzipRatio = 1032;

/// Gives the first `most` bytes of the contents to `sink`, part by part; fewer if there are no more. The number of
/// bytes. `name`: for messages. Errors: kIo, kBadData; those of the sink.
Result<uint64_t> decompress_gzip(const std::string& name, const tiles::InputHandle& file, uint64_t most,
                                 const std::function<Result<void>(std::span<const std::byte>)>& sink);

}  // namespace onepass::volumes
