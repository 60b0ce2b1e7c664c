// large_pages.hpp: a hint to the operating system about large memory.
#pragma once

#include <cstddef>

namespace onepass::cpu {

/// Asks Linux to map pages of 2 MB; does nothing on other systems. `data` and `bytes` are multiples of 2 MB.
void advise_large_pages(void* data, size_t bytes);

}  // namespace onepass::cpu
