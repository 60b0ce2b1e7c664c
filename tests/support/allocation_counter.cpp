// allocation_counter.cpp: counting malloc, calloc, realloc, free and aligned variants, on top of glibc's.
#include "tests/support/allocation_counter.hpp"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* pointer);
}

namespace allocation_counter {
namespace {

std::atomic<int64_t> g_live{0};
std::atomic<int64_t> g_peak{0};
std::atomic<int64_t> g_largest{0};
std::atomic<int64_t> g_count{0};
std::atomic<int64_t> g_fail_at{0};

void raise_to(std::atomic<int64_t>& highest, int64_t value) {
  int64_t before = highest.load();
  while (value > before && !highest.compare_exchange_weak(before, value)) {
  }
}

// Counts one allocation; false if fail_at() makes it fail.
bool next(size_t size) {
  raise_to(g_largest, static_cast<int64_t>(size));
  const int64_t number = ++g_count;
  const int64_t first_failure = g_fail_at.load();
  return first_failure == 0 || number < first_failure;
}

void* counted(void* pointer) {
  if (pointer != nullptr) {
    const auto size = static_cast<int64_t>(::malloc_usable_size(pointer));
    raise_to(g_peak, g_live += size);
  }
  return pointer;
}

void* failed() {
  errno = ENOMEM;
  return nullptr;
}

void forget(void* pointer) {
  if (pointer != nullptr) g_live -= static_cast<int64_t>(::malloc_usable_size(pointer));
}

}  // namespace

int64_t live() { return g_live; }
int64_t peak() { return g_peak; }
int64_t largest() { return g_largest; }
void reset_peak() {
  g_peak = g_live.load();
  g_largest = 0;
}
int64_t count() { return g_count; }
void fail_at(int64_t number) {
  g_count = 0;
  g_fail_at = number;
}

}  // namespace allocation_counter

using namespace allocation_counter;

// The test programs hide their symbols. Visible ones replace malloc in the shared libraries of these programs too.
#pragma GCC visibility push(default)

extern "C" {

void* malloc(size_t size) { return next(size) ? counted(__libc_malloc(size)) : failed(); }

void* calloc(size_t count, size_t size) { return next(count * size) ? counted(__libc_calloc(count, size)) : failed(); }

void* realloc(void* old, size_t size) {
  if (!next(size)) return failed();
  const auto before = static_cast<int64_t>(old != nullptr ? ::malloc_usable_size(old) : 0);
  void* grown = __libc_realloc(old, size);
  if (grown == nullptr && size != 0) return nullptr;
  g_live -= before;
  return counted(grown);
}

void* memalign(size_t alignment, size_t size) {
  return next(size) ? counted(__libc_memalign(alignment, size)) : failed();
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** pointer, size_t alignment, size_t size) {
  void* made = memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *pointer = made;
  return 0;
}

void free(void* pointer) {
  forget(pointer);
  __libc_free(pointer);
}
}

#pragma GCC visibility pop
