// png_rows.hpp: filters and deflates the rows of a PNG file in pieces, on several threads.
//
//     rows   |---- piece 0 ----|---- piece 1 ----|---- piece 2 ----|
//     IDAT    header, blocks    blocks            blocks, checksum      one chunk each, together one zlib stream
//
// A piece ends on a whole byte and does not refer to earlier ones, so that no piece waits for another. The window of
// deflate is 32 KB: with pieces of half a megabyte this costs less than a percent of size.
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

/// Returns row y as in the file, before filtering; valid until the next call.
using PngRowReader = std::function<const std::byte*(uint32_t y)>;

/// From this deflate effort on, every row gets the best of all filters; below it Sub, at effort 0 none.
inline constexpr int kThoroughEffort = 6;

/// Passes the contents of all IDAT chunks, in order, to `write` on the calling thread; stops and returns false when
/// `write` does. Each reader is made and used by one of `threads` threads (0: usable_threads()). Throws the
/// exceptions of readers, and std::bad_alloc.
bool deflate_png_rows(const PngRowShape& shape, int effort, uint32_t threads,
                      const std::function<PngRowReader()>& make_reader,
                      const std::function<bool(std::span<const std::byte>)>& write);

}  // namespace onepass::files
