// compress.hpp: lossless compression of whole blocks of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace onepass::tiles {

using Bytes = std::vector<std::byte>;

/// Level of Zstandard for tiles: its default.
inline constexpr int kZstdLevel = 3;

/// Level of deflate for tiles of TIFF and OME-Zarr.
inline constexpr int kDeflateLevel = 6;

/// A zlib stream (RFC 1950), by libdeflate if the build has it. `level`: 1 to 9.
Bytes compress_zlib(std::span<const std::byte> bytes, int level);

/// A Zstandard frame with its content size.
Bytes compress_zstd(std::span<const std::byte> bytes, int level);

/// The same in `buffer`, whose memory the next call uses again. Returns the frame.
std::span<const std::byte> compress_zstd(std::span<const std::byte> bytes, int level, Bytes& buffer);

#ifdef ONEPASS_HAS_BLOSC
/// A buffer of Blosc, in `buffer` as above: elements of `element` bytes, sorted by significance (shuffled), then
/// compressed by "lz4" or "zstd" at Blosc's level 1 to 9.
std::span<const std::byte> compress_blosc(std::span<const std::byte> bytes, const char* compressor, int level,
                                          size_t element, Bytes& buffer);
#endif

/// LZW as in TIFF 6.0, section 13: codes of 9 to 12 bits, most significant bit first, code width changed one code
/// early.
Bytes compress_lzw(std::span<const std::byte> bytes);

/// CRC-32 of PNG and gzip, continued from `crc` (0 at the start).
uint32_t crc32_of(uint32_t crc, std::span<const std::byte> bytes);

/// TIFF's Predictor 2 in place: each sample becomes its difference from the sample of the pixel to the left, modulo its
/// width of 1, 2 or 4 bytes.
void difference_rows(std::span<std::byte> block, size_t row_bytes, uint32_t channels, uint32_t width);

/// TIFF's Predictor 3 in place, for floats of 2 or 4 bytes: the bytes of a row are sorted by significance, highest
/// first, and differenced.
void difference_float_rows(std::span<std::byte> block, size_t row_bytes, uint32_t channels, uint32_t width);

}  // namespace onepass::tiles
