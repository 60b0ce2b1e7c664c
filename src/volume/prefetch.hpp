// prefetch.hpp: prefetches finer rows: the hardware's prefetcher stops at every page, and a coarse row reads from up to
// four places at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "image/div_up.hpp"
#include "volume/rows.hpp"

namespace onepass::volume {

/// Prefetches, of each row, the cache lines 2 KB ahead of those that begin within `bytes` bytes from byte `at` on.
/// Where rows lie one behind the other they are of rows that come next.
inline void prefetch_rows(const RowFold& fold, size_t at, size_t bytes) {
  constexpr size_t kAhead = 2048;
  constexpr size_t kLine = 64;
  for (size_t line = round_up(at, kLine); line < at + bytes; line += kLine) {
    for (uint32_t row = 0; row < fold.row_count; ++row) hwy::Prefetch(fold.rows[row] + line + kAhead);
  }
}

}  // namespace onepass::volume
