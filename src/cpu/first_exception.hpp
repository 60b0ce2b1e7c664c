// first_exception.hpp: passes an exception of one of several tasks on to the thread that waits for them.
#pragma once

#include <atomic>
#include <exception>

namespace onepass::cpu {

/// Keeps the first exception of tasks that run at the same time. oneTBB passes exceptions on, too, but they arrive as
/// another type where it was built with another standard library than the caller.
class FirstException {
 public:
  /// Calls `task`, unless an earlier one has failed: tasks that have not started are left out then.
  template <class Task>
  void guard(const Task& task) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      task();
    } catch (...) {
      if (!failed_.exchange(true)) exception_ = std::current_exception();
    }
  }

  /// Throws the exception that was kept, if there is one. To be called when all tasks have ended.
  void rethrow() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr exception_;
};

}  // namespace onepass::cpu
