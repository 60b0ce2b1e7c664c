// tiles_memory.cpp: the allocation of tiles_disk::failing_allocation. Alone in its file, because the compiler finds
// std::free() for the memory of an inlined operator new suspicious.
#include <cstdlib>
#include <new>

#include "tests/tiles/tiles_disk.hpp"

void* operator new(size_t bytes) {
  const bool fails =
      bytes != 0 && bytes == tiles_disk::failing_allocation && tiles_disk::allocations_left.fetch_sub(1) <= 0;
  void* const memory = fails ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
