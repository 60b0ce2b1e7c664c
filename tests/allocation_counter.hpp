// allocation_counter.hpp: what the whole process has allocated by malloc and its relatives, and a way to have an
// allocation fail. Programs that link allocation_counter.cpp get the C library's allocator with this in front of it;
// libraries that they load go through it too.
#pragma once

#include <cstdint>

namespace allocation_counter {

/// Bytes in use now, as usable by the caller.
int64_t live();

/// The most that were in use at a time since the last call of reset_peak().
int64_t peak();
void reset_peak();

/// The largest single allocation that was asked for since the last call of reset_peak().
int64_t largest();

/// Allocations made since the last call of fail_at().
int64_t count();

/// Has the allocation number `number`, counted from 1 on, and every later one fail; 0: none. Counts anew.
void fail_at(int64_t number);

}  // namespace allocation_counter
