// parallel.cpp: a parallel loop in a oneTBB arena that is borrowed from a list of unused ones; a plain loop for one
// thread, one task, or a forked child whose parent has used threads.
#include "files/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <list>
#include <mutex>

#include "cpu/first_exception.hpp"
#include "cpu/forked.hpp"
#include "onepass/process_limits.hpp"

namespace onepass::files {
namespace {

/// The arena of one call. oneTBB 2021.8 does not free all memory of an arena, about 7 KB remain: unused arenas are kept
/// for later calls with as many threads.
class BorrowedArena {
 public:
  explicit BorrowedArena(uint32_t threads) : unused_(unused_arenas()) {
    {
      const std::scoped_lock lock(unused_.mutex);
      const auto found = std::find_if(unused_.arenas.begin(), unused_.arenas.end(), [&](const auto& arena) {
        return arena.max_concurrency() == static_cast<int>(threads);
      });
      if (found != unused_.arenas.end()) {
        arena_.splice(arena_.begin(), unused_.arenas, found);
        return;
      }
    }
    arena_.emplace_back(static_cast<int>(threads));
  }
  ~BorrowedArena() {
    const std::scoped_lock lock(unused_.mutex);
    unused_.arenas.splice(unused_.arenas.begin(), arena_);
  }
  BorrowedArena(const BorrowedArena&) = delete;
  BorrowedArena& operator=(const BorrowedArena&) = delete;

  tbb::task_arena* operator->() { return &arena_.front(); }

 private:
  /// Never destroyed, because files may be written while static objects are.
  struct Unused {
    std::mutex mutex;
    std::list<tbb::task_arena> arenas;
  };
  static Unused& unused_arenas() {
    static auto* const unused = new Unused;
    return *unused;
  }

  Unused& unused_;
  /// One arena. A list, because a node moves to another list without an allocation that could fail.
  std::list<tbb::task_arena> arena_;
};

}  // namespace

uint32_t usable_threads(uint32_t threads) {
  if (threads == 1 || !cpu::claim_threads()) return 1;
  // TBB prints a warning on stderr if more are requested.
  const size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto most = static_cast<uint32_t>(std::clamp<size_t>(limit, 1, 1024));
  return std::min(threads == 0 ? onepass::usable_threads() : threads, most);
}

void run_tasks(uint32_t threads, size_t count, const std::function<void(size_t)>& task) {
  const uint32_t usable = usable_threads(threads);
  if (usable == 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) task(i);
    return;
  }
  BorrowedArena arena(usable);
  cpu::FirstException exception;
  const auto one = [&](size_t i) { exception.guard([&] { task(i); }); };
  arena->execute([&] { tbb::parallel_for(size_t{0}, count, one, tbb::simple_partitioner()); });
  exception.rethrow();
}

}  // namespace onepass::files
