// process_limits.hpp: what the process may use of the machine. Limits of control groups (containers, batch systems,
// services of systemd) bind before those of the machine: a process that ignores them is stopped or slowed down.
#pragma once

#include <cstdint>
#include <optional>

#include "onepass/export.h"

namespace onepass {

/// CPU threads that the process can run at once: the processors of the machine, or of the process's affinity mask, and
/// on Linux at most the processor quota of its control groups, rounded up. At least 1. Options `threads` = 0 mean this
/// number.
/// Source: Linux, Documentation/admin-guide/cgroup-v2.rst (cpu.max) and scheduler/sched-bwc.rst (cpu.cfs_quota_us).
[[nodiscard]] ONEPASS_API uint32_t usable_threads();

/// The smallest memory limit of the process's control groups, in bytes; empty without a limit and on other systems than
/// Linux. Above it, the system ends the process (memory.max, memory.limit_in_bytes) or slows it down (memory.high).
[[nodiscard]] ONEPASS_API std::optional<uint64_t> memory_limit();

}  // namespace onepass
