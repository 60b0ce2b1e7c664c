// decompress.hpp: the reverse of compress.hpp, for chunks of Zarr.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace onepass::tiles {

// Each decompresses all of `from` to the start of `to` and returns the number of bytes. None: `from` is damaged, or
// makes more than to.size() bytes.

/// A zlib (RFC 1950) or gzip (RFC 1952) stream.
std::optional<size_t> decompress_zlib(std::span<const std::byte> from, std::span<std::byte> to);
/// Zstandard frames.
std::optional<size_t> decompress_zstd(std::span<const std::byte> from, std::span<std::byte> to);
#ifdef ONEPASS_HAS_BLOSC
/// A buffer of Blosc 1.
std::optional<size_t> decompress_blosc(std::span<const std::byte> from, std::span<std::byte> to);
#endif

}  // namespace onepass::tiles
