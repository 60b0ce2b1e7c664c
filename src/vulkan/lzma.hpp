// lzma.hpp: decompression of LZMA, for embedded kernels.
#pragma once

#include <cstddef>
#include <span>

namespace onepass::vulkan {

/// Fills `out` with the first bytes of a raw LZMA stream of lc = 0, lp = 2, pb = 2. False if the stream is damaged or
/// holds less. The stream may hold more. Bytes of little-endian words: `lp` and `pb` follow their four places.
/// Source: I. Pavlov, "LZMA specification", 2015.
bool decompress_lzma(std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace onepass::vulkan
