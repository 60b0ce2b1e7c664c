// search.hpp: the search for a tuning that is faster than the default: one field after the other, each candidate in
// paired rounds with the default. It knows no device: it is given functions that make, run and time.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vulkan/tunings.hpp"

namespace onepass::vulkan {

/// What a technique computes: texels of 8 bits per channel, and floats.
struct Output {
  std::vector<uint8_t> codes;
  std::vector<float> numbers;
};

/// A technique that is bound to images of an experiment. Its functions keep all that they need.
struct Runner {
  std::function<void(VkCommandBuffer commands, size_t set)> record;
  size_t sets = 1;  // of images, used in turn
  std::function<Result<Output>()> output;
};

/// How far the output of a candidate may be from that of the default.
struct OutputTolerance {
  int codes = 0;        // of one code
  double relative = 0;  // of one number, to the larger of the two
  double norm = 0;      // not 0, instead: the L2 norm of all differences of numbers, relative to that of the numbers
};
[[nodiscard]] bool outputs_match(const Output& output, const Output& expected, const OutputTolerance& tolerance);

/// Times of a candidate and of the default in alternating rounds.
struct PairedTimes {
  double ratio = 1;   // median over the rounds
  double spread = 0;  // half of the distance between its quartiles
  double default_us = 0;
};
[[nodiscard]] PairedTimes paired_times(std::span<const double> candidate, std::span<const double> expected);

inline constexpr double kLeastGain = 0.02;     // share of the default's time, beyond the spread
inline constexpr size_t kQuickRounds = 3;      // of a candidate
inline constexpr size_t kLeastRounds = 7;      // of the best candidate
inline constexpr size_t kMostRounds = 25;      // of the best candidate
inline constexpr double kSearchedShare = 0.7;  // of the time; the rest is for the best candidate

template <typename Tuning>
struct SearchTask {
  Tuning asked{};                         // fields that all candidates share
  std::vector<std::vector<Tuning>> axes;  // candidates: those of an axis set the same fields
  std::function<Result<Runner>(const Tuning&)> make;
  std::function<Result<double>(const Runner&)> time;  // microseconds of one record()
  std::function<double()> now;                        // seconds
  double deadline = 0;  // for usual cases; one whose pipelines take long to compile has until `latest`
  double latest = 0;
  OutputTolerance tolerance;
};

template <typename Tuning>
struct SearchResult {
  double default_us = 0;  // 0: there was no candidate
  double best_us = 0;
  Tuning use{};                    // all fields open: the default is the best
  std::vector<std::string> notes;  // candidates that were dropped, and why
};

/// The fields of `part` that are not open, over those of `tuning`.
template <typename Tuning>
Tuning with_fields(Tuning tuning, const Tuning& part) {
  for_each_field<Tuning>([&](const auto& field) {
    const auto value = part.*field.member;
    if (value != std::decay_t<decltype(value)>{}) tuning.*field.member = value;
  });
  return tuning;
}

template <typename Tuning>
bool is_default(const Tuning& tuning) {
  bool all_open = true;
  for_each_field<Tuning>([&](const auto& field) {
    const auto value = tuning.*field.member;
    all_open = all_open && value == std::decay_t<decltype(value)>{};
  });
  return all_open;
}

/// Runs one search. Errors: those of making, running and timing the default; kDeviceLost.
template <typename Tuning>
class TuningSearch {
 public:
  explicit TuningSearch(const SearchTask<Tuning>& task) : task_(task) {}

  Result<SearchResult<Tuning>> run() {
    if (auto begun = begin(); !begun) return begun.error();
    const double end = task_.now() + kSearchedShare * (deadline_ - task_.now());
    for (const std::vector<Tuning>& axis : task_.axes) {
      const Tuning before = best_;
      for (const Tuning& part : axis) {
        if (out_.default_us > 0 && task_.now() > end) break;
        if (auto tried = try_candidate(with_fields(before, part)); !tried) return tried.error();
      }
    }
    if (auto confirmed = confirm(); !confirmed) return confirmed.error();
    return std::move(out_);
  }

 private:
  static bool ends_search(const Error& error) { return error.code == ErrorCode::kDeviceLost; }

  // Makes the default and runs it. Each candidate takes about as long.
  Result<void> begin() {
    const double begin = task_.now();
    auto base = task_.make(task_.asked);
    if (!base) return base.error();
    base_ = std::move(*base);
    auto expected = base_.output();
    if (!expected) return expected.error();
    expected_ = std::move(*expected);
    size_t steps = 2;  // this one and the comparison of the best candidate
    for (const std::vector<Tuning>& axis : task_.axes) steps += axis.size();
    const double wanted = begin + static_cast<double>(steps) * (task_.now() - begin);
    deadline_ = std::max(task_.deadline, std::min(wanted, task_.latest));
    return {};
  }

  // A candidate that the device or the case does not allow is none.
  Result<void> try_candidate(const Tuning& candidate) {
    const auto drop = [&](const std::string& why) { out_.notes.push_back(use_text(candidate) + ": " + why); };
    auto runner = task_.make(with_fields(task_.asked, candidate));
    if (!runner) {
      const ErrorCode code = runner.error().code;
      if (ends_search(runner.error())) return runner.error();
      if (code != ErrorCode::kInvalidArgument && code != ErrorCode::kUnsupported) drop(runner.error().text());
      return {};
    }
    auto output = runner->output();
    if (!output) {
      if (ends_search(output.error())) return output.error();
      drop(output.error().text());
      return {};
    }
    if (!outputs_match(*output, expected_, task_.tolerance)) {
      drop("its results differ from those of the default");
      return {};
    }
    auto times = compare(*runner, kQuickRounds, kQuickRounds);
    if (!times) return times.error();
    if (out_.default_us == 0) out_.default_us = out_.best_us = times->default_us;
    if (times->ratio < best_ratio_ * (1 - kLeastGain / 2)) {
      best_ratio_ = times->ratio;
      best_ = candidate;
    }
    return {};
  }

  // The best candidate becomes the result if it stays faster in more rounds.
  Result<void> confirm() {
    if (is_default(best_)) return {};
    auto runner = task_.make(with_fields(task_.asked, best_));
    if (!runner) return runner.error();
    auto times = compare(*runner, kLeastRounds, kMostRounds);
    if (!times) return times.error();
    out_.default_us = out_.best_us = times->default_us;
    if (1 - times->ratio <= kLeastGain + times->spread) return {};
    out_.best_us = times->default_us * times->ratio;
    out_.use = best_;
    return {};
  }

  // Alternating rounds: the default is first in every second one. More than `least` while there is time.
  Result<PairedTimes> compare(const Runner& candidate, size_t least, size_t most) {
    std::vector<double> times, base_times;
    const auto add = [&](const Runner& runner, std::vector<double>& to) -> Result<void> {
      auto time = task_.time(runner);
      if (!time) return time.error();
      to.push_back(*time);
      return {};
    };
    for (size_t i = 0; i < most && (i < least || task_.now() < deadline_); ++i) {
      auto done = i % 2 == 0 ? add(candidate, times) : add(base_, base_times);
      if (done) done = i % 2 == 0 ? add(base_, base_times) : add(candidate, times);
      if (!done) return done.error();
    }
    return paired_times(times, base_times);
  }

  const SearchTask<Tuning>& task_;
  SearchResult<Tuning> out_;
  Runner base_;
  Output expected_;
  Tuning best_{};
  double best_ratio_ = 1;
  double deadline_ = 0;
};

}  // namespace onepass::vulkan
