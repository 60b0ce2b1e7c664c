// run_together.hpp: tasks at the same time, for calls of the driver that take long. The library without the CPU engine
// has no oneTBB.
#pragma once

#include <cstddef>
#include <functional>

namespace onepass::vulkan {

/// Calls task(i) for all i below `count` on up to as many threads as the machine has, the calling one included, and
/// returns when all have returned. Without threads the calling thread does all. Rethrows an exception of a task.
void run_together(size_t count, const std::function<void(size_t)>& task);

}  // namespace onepass::vulkan
