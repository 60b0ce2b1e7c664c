// elapsed.hpp: times of a command's steps.
#pragma once

#include <chrono>

namespace onepass::cli {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace onepass::cli
