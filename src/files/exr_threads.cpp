// exr_threads.cpp: sets the size of OpenEXR's pool, and gives a child of fork() a new one.
#include "files/exr_threads.hpp"

#include <OpenEXR/IlmThreadPool.h>
#include <OpenEXR/ImfThreading.h>

#ifndef _WIN32
#include <pthread.h>
#endif

#include <algorithm>
#include <mutex>
#include <new>
#include <system_error>

#include "cpu/forked.hpp"
#include "onepass/process_limits.hpp"

namespace onepass::files {

#ifndef _WIN32
namespace {

// In a child of fork(): OpenEXR gives all tasks to its pool, whose threads do not exist there. The child gets a pool
// without threads. The old one is not destroyed, because it would wait for its threads.
void renew_pool() {
  using IlmThread::ThreadPool;
  new (&ThreadPool::globalThreadPool()) ThreadPool(0);
}

}  // namespace
#endif

int use_exr_threads(uint32_t threads) {
  static std::mutex mutex;
  constexpr uint32_t kMaxThreads = 256;
  const uint32_t wanted = std::min(threads != 0 ? threads : onepass::usable_threads(), kMaxThreads);
  if (wanted == 1 || !cpu::claim_threads()) return 0;  // OpenEXR then works on the caller's thread
  const std::lock_guard lock(mutex);
#ifndef _WIN32
  static const int registered = pthread_atfork(nullptr, nullptr, &renew_pool);
  if (registered != 0) return 0;
#endif
  const int count = static_cast<int>(wanted);
  try {
    if (Imf::globalThreadCount() < count) Imf::setGlobalThreadCount(count);
  } catch (const std::system_error&) {
    return 0;  // a limit on memory or threads of the process: the caller's thread does it all
  }
  return count;
}

}  // namespace onepass::files
