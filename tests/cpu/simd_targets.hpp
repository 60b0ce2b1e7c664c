// simd_targets.hpp: runs a check on every SIMD target of the machine, and lets tests use more threads than cores.
#pragma once

#include <vector>

#include "cpu/simd_target.hpp"
#include "tbb/global_control.h"

namespace onepass::testing {

/// While it exists, seven threads are seven, however few cores the machine has.
struct SevenThreads {
  tbb::global_control allow{tbb::global_control::max_allowed_parallelism, 7};
};

/// Restricts the library to one SIMD target of the machine during its lifetime.
class OnlyTarget {
 public:
  explicit OnlyTarget(size_t target) { simd::use_target(target); }
  ~OnlyTarget() { simd::use_best_target(); }
  OnlyTarget(const OnlyTarget&) = delete;
};

/// The targets of the machine, from the best to the compiler's baseline.
inline std::vector<size_t> machine_targets() {
  std::vector<size_t> targets;
  for (size_t target = simd::best_target(); target < simd::kTargets; ++target) targets.push_back(target);
  return targets;
}

inline const char* name_of_target(size_t target) { return simd::kTargetNames[target]; }

/// Calls check(name of the target) with one SIMD target after the other.
template <typename Check>
void on_every_simd_target(const Check& check) {
  for (const size_t target : machine_targets()) {
    const OnlyTarget only(target);
    check(name_of_target(target));
  }
}

}  // namespace onepass::testing
