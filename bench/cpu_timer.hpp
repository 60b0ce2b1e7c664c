// cpu_timer.hpp: times calls with a steady clock.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "statistics.hpp"

namespace onepass::bench {

using Task = std::function<void()>;

/// Times of each task. The tasks alternate: a round times each task once. There are at most `most_rounds` rounds, but
/// at least 5.
[[nodiscard]] std::vector<Times> compare(const std::vector<Task>& tasks, uint32_t most_rounds);

/// Times of two tasks, and the ratio of the first to the second, round by round.
struct PairTimes {
  Times first;
  Times second;
  Times ratio;
};
[[nodiscard]] PairTimes compare_pair(const Task& first, const Task& second, uint32_t most_rounds);

}  // namespace onepass::bench
