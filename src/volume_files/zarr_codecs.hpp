// zarr_codecs.hpp: decodes the blocks of a Zarr array: bytes first, then elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "volume_files/zarr_metadata.hpp"

namespace onepass::zarr {

/// The memory of a thread that decodes blocks, kept from one block to the next.
struct BlockBuffers {
  std::vector<std::byte> stored;
  std::vector<std::byte> decoded[2];
};

/// Bytes of BlockBuffers and of the decoders themselves for blocks of this array.
uint64_t decoder_bytes(const ArrayMetadata& array);

/// Decodes buffers.stored to the elements of a block, still in their order and byte order: array.block_bytes() bytes,
/// valid until the next call. Empty: the bytes are damaged. Never writes more than codecs can have made of a block.
std::span<const std::byte> decode_block(const ArrayMetadata& array, BlockBuffers& buffers);

/// Copies `count` elements of `bytes` bytes each, `from_step` and `to_step` bytes apart, and reverses their bytes if
/// `swap`.
void copy_elements(const std::byte* from, size_t from_step, std::byte* to, size_t to_step, size_t count, size_t bytes,
                   bool swap);

}  // namespace onepass::zarr
