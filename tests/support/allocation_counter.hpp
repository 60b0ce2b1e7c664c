// allocation_counter.hpp: counts the memory that the whole process allocates by malloc and its variants, and can make
// allocations fail. Linking allocation_counter.cpp puts the counter in front of the C library's allocator; shared
// libraries use it too.
#pragma once

#include <cstdint>

namespace allocation_counter {

/// Bytes in use now, by malloc_usable_size().
int64_t live();

/// The largest value of live() since the last call of reset_peak().
int64_t peak();
void reset_peak();

/// The largest single allocation requested since the last call of reset_peak().
int64_t largest();

/// Number of allocations since the last call of fail_at().
int64_t count();

/// Makes allocation number `number` (counted from 1) and all later ones fail; 0: none fails. Restarts the count.
void fail_at(int64_t number);

}  // namespace allocation_counter
