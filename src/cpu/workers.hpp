// workers.hpp: runs independent tasks on a bounded number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace onepass::cpu {

/// Runs tasks on at most `threads` threads (0: usable_threads()), including the calling thread.
class Workers {
 public:
  explicit Workers(uint32_t threads);

  /// The number of slots: the most threads that run at once. Slots are numbered from 0.
  [[nodiscard]] uint32_t slots() const { return slots_; }

  /// Calls task(index, slot) for every index below `count` and returns when all calls have returned. Concurrent calls
  /// have different slots. An exception of a call leaves out those that have not started, and is thrown again here.
  void run(size_t count, const std::function<void(size_t index, uint32_t slot)>& task);

 private:
  struct Arena;
  /// Keeps an arena for other workers.
  struct KeepArena {
    void operator()(Arena* arena) const;
  };

  uint32_t slots_;
  std::unique_ptr<Arena, KeepArena> arena_;  ///< Null for one slot.
};

}  // namespace onepass::cpu
