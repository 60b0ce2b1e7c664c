// workers.hpp: a bounded set of threads that share out independent tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <tbb/task_arena.h>

namespace onepass::cpu {

/// Runs tasks on at most `threads` threads (0: all the machine has), the calling one included.
class Workers {
 public:
  explicit Workers(uint32_t threads);

  /// The most threads that run at once; slots are numbered below it.
  [[nodiscard]] uint32_t slots() const { return slots_; }

  /// Calls task(index, slot) for every index below `count` and returns when all are done. No two calls that run at the
  /// same time have the same slot.
  void run(size_t count, const std::function<void(size_t index, uint32_t slot)>& task);

 private:
  uint32_t slots_;
  tbb::task_arena arena_;
};

}  // namespace onepass::cpu
