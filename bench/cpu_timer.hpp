// cpu_timer.hpp: how long calls take, by a steady clock.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "statistics.hpp"

namespace onepass::bench {

using Task = std::function<void()>;

/// Times of each task, taken in turns: first one of each, then the next, at most `most_rounds` of them.
[[nodiscard]] std::vector<Times> compare(const std::vector<Task>& tasks, uint32_t most_rounds);

}  // namespace onepass::bench
