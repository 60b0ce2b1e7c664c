// simd_targets.hpp: runs a check on every SIMD target of the machine, and lets tests use more threads than cores.
#pragma once

#include "hwy/targets.h"
#include "tbb/global_control.h"

namespace onepass::testing {

/// While it exists, seven threads are seven, however few cores the machine has.
struct SevenThreads {
  tbb::global_control allow{tbb::global_control::max_allowed_parallelism, 7};
};

/// Calls check(name of the target) with one SIMD target after the other.
template <typename Check>
void on_every_simd_target(const Check& check) {
  hwy::SetSupportedTargetsForTest(0);
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace onepass::testing
