// png_rows.hpp: the rows of a PNG file filtered and deflated in pieces, by several threads.
//
//     rows   |---- piece 0 ----|---- piece 1 ----|---- piece 2 ----|
//     IDAT    header, blocks    blocks            blocks, checksum      a chunk each, of one zlib stream
//
// A piece ends on a whole byte and refers to none before it: no piece waits for another. Deflate looks back 32 KB, so
// that pieces of half a megabyte cost less than a percent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace onepass::files {

struct PngRowShape {
  uint32_t rows = 0;
  size_t row_bytes = 0;
  size_t texel_bytes = 0;
};

/// Gives row y as the file has it, before filters; valid until the next call.
using PngRowReader = std::function<const std::byte*(uint32_t y)>;

/// Deflate effort from which on every row gets the best of all filters; below, Sub, and none at effort 0.
inline constexpr int kThoroughEffort = 6;

/// The contents of all IDAT chunks, in order, to `write` on the calling thread, until that returns false: then false.
/// Readers are made and used by any of `threads` threads (0: all the machine has), each by one. Throws what readers
/// throw, and std::bad_alloc.
bool deflate_png_rows(const PngRowShape& shape, int effort, uint32_t threads,
                      const std::function<PngRowReader()>& make_reader,
                      const std::function<bool(std::span<const std::byte>)>& write);

}  // namespace onepass::files
