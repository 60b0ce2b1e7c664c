// run_together.cpp: POSIX threads, because the destructor of std::thread may call std::terminate(), which no function
// of the library does. MinGW-w64 has them too.
#include "vulkan/run_together.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

namespace onepass::vulkan {
namespace {

struct Work {
  size_t count = 0;
  const std::function<void(size_t)>& task;
  std::atomic<size_t> next{0};
  std::mutex mutex{};  // of the member below
  std::exception_ptr failure{};

  void run() {
    for (size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    }
  }
};

void* run_work(void* work) {
  static_cast<Work*>(work)->run();
  return nullptr;
}

}  // namespace

void run_together(size_t count, const std::function<void(size_t)>& task) {
  Work work{.count = count, .task = task};
  const size_t most = std::min<size_t>(count, std::max(std::thread::hardware_concurrency(), 1U));
  std::vector<pthread_t> threads;
  threads.reserve(most);
  pthread_t thread{};
  while (threads.size() + 1 < most && pthread_create(&thread, nullptr, run_work, &work) == 0) threads.push_back(thread);
  work.run();
  for (const pthread_t started : threads) pthread_join(started, nullptr);
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace onepass::vulkan
