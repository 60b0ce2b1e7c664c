// worker_pool.cpp: one queue of tasks; a thread that waits runs tasks meanwhile.
#include "tiles/worker_pool.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "cpu/forked.hpp"
#include "files/parallel.hpp"

namespace onepass::tiles {
namespace {

constexpr auto kLongestWait = std::chrono::milliseconds(100);  // a condition may depend on the time

}  // namespace

WorkerPool::WorkerPool(uint32_t threads) { start(files::usable_threads(threads)); }

WorkerPool::WorkerPool(WaitingThreads threads) { start(cpu::claim_threads() ? threads.count + 1 : 1); }

// `count`: with the owner.
void WorkerPool::start(uint32_t count) {
  workers_.reserve(count);  // no exception after the first thread has started
  for (uint32_t i = 1; i < count; ++i) {
    pthread_t worker{};
    const auto start = [](void* pool) -> void* {
      static_cast<WorkerPool*>(pool)->work();
      return nullptr;
    };
    if (pthread_create(&worker, nullptr, start, this) != 0) break;
    workers_.push_back(worker);
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (const pthread_t worker : workers_) pthread_join(worker, nullptr);
}

void WorkerPool::submit(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

// Runs the next task without the lock; false if there is none.
bool WorkerPool::run_one(std::unique_lock<std::mutex>& lock) {
  auto& queue = urgent_.empty() ? tasks_ : urgent_;
  if (queue.empty()) return false;
  std::function<void()> task = std::move(queue.front());
  queue.pop_front();
  lock.unlock();
  task();
  task = nullptr;  // releases what the task holds before others learn that it has ended
  lock.lock();
  changed_.notify_all();
  return true;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (run_one(lock)) continue;
    if (stop_) return;
    changed_.wait(lock);
  }
}

void WorkerPool::wait_until(const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  while (!done()) {
    if (!run_one(lock)) changed_.wait_for(lock, kLongestWait);
  }
}

void WorkerPool::run(size_t count, const std::function<void(size_t)>& task, const std::function<void()>& poll) {
  std::atomic<size_t> left = count;
  std::exception_ptr failure;
  {
    const std::scoped_lock lock(mutex_);
    for (size_t i = 0; i < count; ++i) {
      urgent_.emplace_back([&, i] {
        try {
          task(i);
        } catch (...) {
          const std::scoped_lock failing(mutex_);
          failure = std::current_exception();
        }
        --left;
      });
    }
  }
  changed_.notify_all();
  std::unique_lock lock(mutex_);
  while (left != 0) {
    if (poll) {
      lock.unlock();
      poll();
      lock.lock();
    }
    if (left != 0 && !run_one(lock)) changed_.wait_for(lock, kLongestWait);
  }
  lock.unlock();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace onepass::tiles
