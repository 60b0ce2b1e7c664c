// decompress.hpp: the reverse of compress.hpp, for chunks of OME-Zarr.
#pragma once

#include <cstddef>
#include <span>

namespace onepass::tiles {

// Each decompresses all of `from`, a stream of exactly to.size() bytes. False: `from` is damaged or of another size.

/// A zlib (RFC 1950) or gzip (RFC 1952) stream.
bool decompress_zlib(std::span<const std::byte> from, std::span<std::byte> to);
/// A Zstandard frame.
bool decompress_zstd(std::span<const std::byte> from, std::span<std::byte> to);
#ifdef ONEPASS_HAS_BLOSC
/// A buffer of Blosc 1.
bool decompress_blosc(std::span<const std::byte> from, std::span<std::byte> to);
#endif

}  // namespace onepass::tiles
