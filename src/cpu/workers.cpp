// workers.cpp: one oneTBB arena per Workers, taken from a list of unused ones. With one thread, and in a forked child
// whose parent has used threads, tasks run in a plain loop.
#include "cpu/workers.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include "cpu/first_exception.hpp"
#include "cpu/forked.hpp"
#include "onepass/process_limits.hpp"

namespace onepass::cpu {

/// oneTBB 2021.8 does not free all memory of an arena: about 7 KB remain. Unused arenas are therefore kept for
/// later Workers with as many slots.
struct Workers::Arena {
  explicit Arena(uint32_t slots_) : slots(slots_), arena(static_cast<int>(slots_)) {}

  uint32_t slots;
  tbb::task_arena arena;
  Arena* next = nullptr;  ///< In the list of unused arenas.

  /// Guarded by `mutex`. Never destroyed, because workers may be destroyed after static objects.
  struct Unused {
    std::mutex mutex;
    Arena* first = nullptr;
  };
  static Unused& unused() {
    static auto* const unused = new Unused;
    return *unused;
  }
};

namespace {

/// Number of threads to use; 0: as many as the process can run at once. At most what TBB allows: if asked for more, TBB
/// prints a warning to stderr.
uint32_t slots_for(uint32_t threads) {
  if (threads == 1 || !claim_threads()) return 1;
  const size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto most = static_cast<uint32_t>(std::clamp<size_t>(limit, 1, 1024));
  return std::min(threads == 0 ? usable_threads() : threads, most);
}

}  // namespace

void Workers::KeepArena::operator()(Arena* arena) const {
  if (!claim_threads()) return;  // a thread of the parent may hold the lock
  Arena::Unused& unused = Arena::unused();
  const std::scoped_lock lock(unused.mutex);
  arena->next = std::exchange(unused.first, arena);
}

Workers::Workers(uint32_t threads) : slots_(slots_for(threads)) {
  if (slots_ == 1) return;
  Arena::Unused& unused = Arena::unused();
  {
    const std::scoped_lock lock(unused.mutex);
    for (Arena** link = &unused.first; *link != nullptr; link = &(*link)->next) {
      if ((*link)->slots != slots_) continue;
      arena_.reset(*link);
      *link = arena_->next;
      return;
    }
  }
  arena_.reset(new Arena(slots_));
}

void Workers::run(size_t count, const std::function<void(size_t index, uint32_t slot)>& task) {
  if (count == 0) return;
  if (count == 1 || arena_ == nullptr || !claim_threads()) {
    for (size_t i = 0; i < count; ++i) task(i, 0);
    return;
  }
  FirstException exception;
  arena_->arena.execute([&] {
    const auto one = [&](size_t i) {
      exception.guard([&] { task(i, static_cast<uint32_t>(tbb::this_task_arena::current_thread_index())); });
    };
    tbb::parallel_for(size_t{0}, count, one, tbb::simple_partitioner());
  });
  exception.rethrow();
}

}  // namespace onepass::cpu
