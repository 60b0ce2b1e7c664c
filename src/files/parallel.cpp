// parallel.cpp: tasks on oneTBB; see parallel.hpp.
#include "files/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace onepass::files {

uint32_t usable_threads(uint32_t threads) {
  // TBB prints a warning on stderr if more are requested.
  const size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto most = static_cast<uint32_t>(std::clamp<size_t>(limit, 1, 1024));
  return threads == 0 ? most : std::min(threads, most);
}

void run_tasks(uint32_t threads, size_t count, const std::function<void(size_t)>& task) {
  tbb::task_arena arena(static_cast<int>(usable_threads(threads)));
  arena.execute([&] { tbb::parallel_for(size_t{0}, count, task, tbb::simple_partitioner()); });
}

}  // namespace onepass::files
