// exr_threads.hpp: OpenEXR's pool of threads, which all files of the process share.
#pragma once

#include <cstdint>

namespace onepass::files {

/// Raises the pool to `threads` (0: usable_threads()) and returns the number to use. 0: OpenEXR works on the caller's
/// thread, as in children of fork() and where the system refuses threads.
int use_exr_threads(uint32_t threads);

/// Threads to ask for when a file is opened, so that OpenEXR creates one buffer for each of `threads`. It creates two
/// for each thread asked for, but no thread waits for the bytes, which are in memory; the pool still has all threads.
constexpr int file_threads(int threads) { return (threads + 1) / 2; }

}  // namespace onepass::files
