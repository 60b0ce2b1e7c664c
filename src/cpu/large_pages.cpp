// large_pages.cpp: see large_pages.hpp.
#include "cpu/large_pages.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace onepass::cpu {

void advise_large_pages([[maybe_unused]] void* data, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  (void)::madvise(data, bytes, MADV_HUGEPAGE);  // a hint; failure is harmless
#endif
}

}  // namespace onepass::cpu
