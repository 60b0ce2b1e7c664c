// forked.hpp: notices children of fork() that have lost the threads of a pool.
//
// A child of fork() has a copy of all memory but only the calling thread. A pool whose threads existed in the parent
// believes that they still exist, and waits for them, or for a lock that one of them held, without end. Pools are
// therefore used only in the process that used them first; its children run all tasks on the calling thread, with the
// same results. A process that forks before it uses a pool, as servers do, loses nothing.
#pragma once

#ifndef _WIN32
#include <unistd.h>

#include <atomic>
#endif

namespace onepass::cpu {

#ifdef _WIN32

inline bool claim_threads() { return true; }

#else

/// Whether this process may use pools of threads: it is the first that asks, or the same again.
inline bool claim_threads() {
  static std::atomic<pid_t> owner = 0;
  const pid_t self = getpid();
  pid_t found = owner.load(std::memory_order_relaxed);
  if (found == 0 && owner.compare_exchange_strong(found, self, std::memory_order_relaxed)) return true;
  return found == self;
}

#endif

}  // namespace onepass::cpu
