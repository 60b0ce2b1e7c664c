// copies.hpp: moving bytes and nothing else: what the CPU engine is compared with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/workers.hpp"

namespace onepass::bench {

/// The C library's memcpy, one stretch a thread.
void copy_plain(cpu::Workers& workers, std::byte* to, const std::byte* from, size_t bytes);

/// With stores that bypass the caches: nothing is read before it is overwritten, so that a third of the traffic is
/// saved. `to` is aligned to 64 bytes.
void copy_non_temporal(cpu::Workers& workers, std::byte* to, const std::byte* from, size_t bytes);

/// Reads and adds up words of 8 bytes, one stretch a thread: what a meter cannot be faster than.
[[nodiscard]] uint64_t read_plain(cpu::Workers& workers, const std::byte* from, size_t bytes);

/// Whether copy_non_temporal() is more than copy_plain() on this machine.
[[nodiscard]] bool has_non_temporal_copy();

}  // namespace onepass::bench
