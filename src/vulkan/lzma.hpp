// lzma.hpp: decompression of LZMA, for embedded kernels.
#pragma once

#include <cstddef>
#include <span>

namespace onepass::vulkan {

/// Fills `out` with the first bytes of a raw LZMA stream of lc = lp = pb = 0: probabilities depend neither on the byte
/// before nor on the place. False if the stream is damaged or holds less. The stream may hold more.
/// Source: I. Pavlov, "LZMA specification", 2015.
bool decompress_lzma(std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace onepass::vulkan
