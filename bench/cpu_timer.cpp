// cpu_timer.cpp: each round times every task once, as one call or as a batch of calls of about 3 ms, so that changes of
// the clock frequency affect all tasks alike. The median over rounds is the result.
#include "cpu_timer.hpp"

#include <algorithm>
#include <chrono>

namespace onepass::bench {
namespace {

/// Microseconds per call, of `count` calls in a row.
double time_calls(const Task& task, uint32_t count) {
  const auto begin = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < count; ++i) task();
  const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() / count;
}

/// Number of calls that take about 3 ms together: long enough for the clock, and for caches to reach a steady state.
uint32_t calls_for(double microseconds) {
  constexpr double kBatch = 3000;
  return static_cast<uint32_t>(std::clamp(kBatch / std::max(microseconds, 1.0), 1.0, 1000.0));
}

// Slow tasks get fewer rounds, at least 5: their times vary less.
uint32_t rounds_for(double microseconds, uint32_t most) {
  constexpr double kTotal = 1.5e6;
  return static_cast<uint32_t>(std::clamp(kTotal / microseconds, 5.0, std::max(5.0, static_cast<double>(most))));
}

// Microseconds of each task in each round.
std::vector<std::vector<double>> time_rounds(const std::vector<Task>& tasks, uint32_t most_rounds) {
  // The first call of each task touches its memory and raises the clocks. It is not counted.
  for (const Task& task : tasks) time_calls(task, 1);
  std::vector<uint32_t> calls;
  double slowest = 3000;
  for (const Task& task : tasks) {
    const double time = time_calls(task, 1);
    calls.push_back(calls_for(time));
    slowest = std::max(slowest, time);
  }
  const uint32_t rounds = rounds_for(slowest, most_rounds);
  std::vector<std::vector<double>> times(tasks.size());
  for (uint32_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < tasks.size(); ++i) times[i].push_back(time_calls(tasks[i], calls[i]));
  }
  return times;
}

}  // namespace

std::vector<Times> compare(const std::vector<Task>& tasks, uint32_t most_rounds) {
  std::vector<Times> out;
  for (std::vector<double>& values : time_rounds(tasks, most_rounds)) out.push_back(times_of(std::move(values)));
  return out;
}

PairTimes compare_pair(const Task& first, const Task& second, uint32_t most_rounds) {
  const std::vector<std::vector<double>> times = time_rounds({first, second}, most_rounds);
  std::vector<double> ratios;
  for (size_t i = 0; i < times[0].size(); ++i) ratios.push_back(times[0][i] / times[1][i]);
  return {times_of(times[0]), times_of(times[1]), times_of(std::move(ratios))};
}

}  // namespace onepass::bench
