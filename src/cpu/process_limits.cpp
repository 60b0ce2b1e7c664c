// process_limits.cpp: the processors of the affinity mask, lowered to the CPU quota of the control groups, and the
// groups' limit of memory. Control groups are read once: their files cost 0.1 ms.
#include "onepass/process_limits.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

#include "cpu/control_groups.hpp"

namespace onepass {
namespace {

const cpu::ControlGroupLimits& group_limits() {
  static const cpu::ControlGroupLimits limits = []() -> cpu::ControlGroupLimits {
#ifdef __linux__
    try {
      return cpu::control_group_limits("/");
    } catch (const std::exception&) {  // without memory nothing is known
    }
#endif
    return {};
  }();
  return limits;
}

uint32_t processors() {
#ifdef __linux__
  std::array<cpu_set_t, 16> set{};  // 16384 processors; the system refuses fewer than it could have
  if (::sched_getaffinity(0, sizeof set, set.data()) == 0) {
    return static_cast<uint32_t>(CPU_COUNT_S(sizeof set, set.data()));
  }
#endif
  return std::thread::hardware_concurrency();
}

}  // namespace

uint32_t usable_threads() { return cpu::threads_within(processors(), group_limits().processors); }

std::optional<uint64_t> memory_limit() { return group_limits().memory; }

}  // namespace onepass
