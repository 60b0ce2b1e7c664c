// worker_pool.hpp: threads that decode and encode tiles beside the thread that reduces rows.
//
// One thread, the owner, submits tasks and waits for conditions; while it waits it runs tasks itself, so that a pool of
// one thread has no worker at all. oneTBB was not used, because a thread that waits in oneTBB runs other tasks too: a
// decode could then run a whole band of encodes and stall the reduction.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace onepass::tiles {

/// Threads that wait for answers most of the time: their number does not follow from that of the processors.
struct WaitingThreads {
  uint32_t count = 0;
};

class WorkerPool {
 public:
  /// `threads`: with the owner; 0: usable_threads(). Where the system refuses a thread, the pool has fewer.
  explicit WorkerPool(uint32_t threads);
  /// A pool of so many threads besides the owner; of none in a child of fork() whose parent has had pools.
  explicit WorkerPool(WaitingThreads threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] uint32_t threads() const { return static_cast<uint32_t>(workers_.size()) + 1; }

  /// Adds a task, which must not throw.
  void submit(std::function<void()> task);

  /// Runs tasks on the calling thread until `done()` is true. `done` is called with the pool's lock held, at the start,
  /// whenever a task has ended and, while nothing is left to run, at least every 100 ms.
  void wait_until(const std::function<bool()>& done);

  /// Calls task(i) for all i below `count` on all threads, before tasks that were submitted earlier. Rethrows the
  /// last exception of a task. Only the owner calls it. `poll`, which must not throw, is called now and then while the
  /// owner waits for the last tasks.
  void run(size_t count, const std::function<void(size_t)>& task, const std::function<void()>& poll = {});

 private:
  void start(uint32_t count);
  bool run_one(std::unique_lock<std::mutex>& lock);
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> urgent_;
  std::deque<std::function<void()>> tasks_;
  bool stop_ = false;
  // POSIX threads: the destructor of std::thread may call std::terminate(), which no function of the library does.
  std::vector<pthread_t> workers_;
};

}  // namespace onepass::tiles
