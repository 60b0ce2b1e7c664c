// control_groups.hpp: limits of the control groups of this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace onepass::cpu {

struct ControlGroupLimits {
  std::optional<uint64_t> memory;    ///< Bytes.
  std::optional<double> processors;  ///< Quota per period.
};

/// The smallest limits of the groups that /proc/self/cgroup names and of all groups above them, versions 1 and 2. Files
/// are read below `root`, another directory than "/" in tests. What cannot be read limits nothing.
ControlGroupLimits control_group_limits(const std::filesystem::path& root);

/// Threads that run at once on `processors` within a quota: the quota rounded up, at least 1.
uint32_t threads_within(uint32_t processors, std::optional<double> quota);

}  // namespace onepass::cpu
