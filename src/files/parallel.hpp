// parallel.hpp: tasks of readers and writers on several threads. The core's Workers are not its to share: a shared
// library keeps them to itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace onepass::files {

/// Threads that tasks may really have of `threads` (0: all the machine has).
uint32_t usable_threads(uint32_t threads);

/// Calls task(i) for every i below `count`, the calling thread among others, and returns when all are done. Throws what
/// a task throws.
void run_tasks(uint32_t threads, size_t count, const std::function<void(size_t)>& task);

}  // namespace onepass::files
