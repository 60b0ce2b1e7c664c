// large_pages.hpp: a hint to the operating system about large memory. Inline, because onepass::files needs it too.
#pragma once

#include <cstddef>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace onepass::cpu {

/// Asks Linux to map pages of 2 MB; does nothing on other systems. `data` is a multiple of 2 MB.
inline void advise_large_pages([[maybe_unused]] void* data, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  (void)::madvise(data, bytes, MADV_HUGEPAGE);  // a hint; failure is harmless
#endif
}

}  // namespace onepass::cpu
