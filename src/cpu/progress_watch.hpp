// progress_watch.hpp: ProgressWatch: adds up the work of parallel tasks and reports it to the caller's Progress.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "onepass/progress.hpp"

namespace onepass::cpu {

/// Watches one call. Its tasks add shares of the call's work from any thread; a thread that finds the interval over
/// reports, if no other one does at this moment.
class ProgressWatch {
 public:
  /// The shortest time between two reports. Tests of the library set 0: a report after every task.
  static inline std::atomic<std::chrono::milliseconds> interval{std::chrono::milliseconds(100)};

  explicit ProgressWatch(const Progress& report) : report_(report) {}

  [[nodiscard]] bool is_cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  /// Adds `share` of the whole work, a number from 0 to 1.
  void add(double share) {
    if (!report_) return;
    double before = done_.load(std::memory_order_relaxed);
    while (!done_.compare_exchange_weak(before, before + share, std::memory_order_relaxed)) {
    }
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - reported_ < interval.load(std::memory_order_relaxed) || is_cancelled()) return;
    reported_ = now;
    has_reported_ = true;
    if (!report_(std::min(1.0, done_.load(std::memory_order_relaxed)))) {
      cancelled_.store(true, std::memory_order_relaxed);
    }
  }

  /// Ends the call: reports 1 where there have been reports. False if the caller has cancelled it before its end.
  [[nodiscard]] bool finish() {
    if (is_cancelled()) return false;
    if (has_reported_) report_(1.0);
    return true;
  }

 private:
  const Progress& report_;
  std::atomic<double> done_ = 0;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  bool has_reported_ = false;  ///< Guarded by mutex_, as reported_.
  std::chrono::steady_clock::time_point reported_ = std::chrono::steady_clock::now();
};

}  // namespace onepass::cpu
