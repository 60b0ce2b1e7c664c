// workers.cpp: see workers.hpp.
#include "cpu/workers.hpp"

#include <algorithm>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

namespace onepass::cpu {
namespace {

/// Number of threads to use. At most what TBB allows: if asked for more, TBB prints a warning to stderr.
uint32_t slots_for(uint32_t threads) {
  const size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto most = static_cast<uint32_t>(std::clamp<size_t>(limit, 1, 1024));
  return threads == 0 ? most : std::min(threads, most);
}

}  // namespace

Workers::Workers(uint32_t threads) : slots_(slots_for(threads)), arena_(static_cast<int>(slots_)) {}

void Workers::run(size_t count, const std::function<void(size_t index, uint32_t slot)>& task) {
  if (count == 0) return;
  if (count == 1 || slots_ == 1) {
    for (size_t i = 0; i < count; ++i) task(i, 0);
    return;
  }
  arena_.execute([&] {
    const auto one = [&](size_t i) { task(i, static_cast<uint32_t>(tbb::this_task_arena::current_thread_index())); };
    tbb::parallel_for(size_t{0}, count, one, tbb::simple_partitioner());
  });
}

}  // namespace onepass::cpu
