// copies.hpp: copies and reads of memory, the baselines of the CPU engine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/workers.hpp"

namespace onepass::bench {

/// The C library's memcpy, one contiguous range per thread.
void copy_plain(cpu::Workers& workers, std::byte* to, const std::byte* from, size_t bytes);

/// Copies with non-temporal stores. They bypass the caches and need no read for ownership, which saves a third of the
/// traffic. `to` is aligned to 64 bytes.
void copy_non_temporal(cpu::Workers& workers, std::byte* to, const std::byte* from, size_t bytes);

/// Adds up words of 8 bytes, one contiguous range per thread: a lower bound for the time of a meter.
[[nodiscard]] uint64_t read_plain(cpu::Workers& workers, const std::byte* from, size_t bytes);

/// True if copy_non_temporal() differs from copy_plain() on this machine.
[[nodiscard]] bool has_non_temporal_copy();

}  // namespace onepass::bench
