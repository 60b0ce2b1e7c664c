// parallel.hpp: runs tasks of readers and writers on several threads. The core's Workers cannot be used, because a
// shared library does not export them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace onepass::files {

/// Number of threads that tasks can use of `threads` (0: usable_threads()).
uint32_t usable_threads(uint32_t threads);

/// Calls task(i) for every i below `count`, on the calling thread and others, and returns when all are done. Throws the
/// exceptions of tasks.
void run_tasks(uint32_t threads, size_t count, const std::function<void(size_t)>& task);

}  // namespace onepass::files
