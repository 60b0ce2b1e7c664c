// simd_target.hpp: the SIMD targets of the processor. simd_dispatch.hpp chooses functions by them.
#pragma once

#include <array>
#include <cstddef>

namespace onepass::simd {

/// Targets that are chosen at run time, the best first. The last one is what the compiler's flags allow.
inline constexpr std::array<const char*, 5> kTargetNames = {"AVX3_DL", "AVX3", "AVX2", "SSE4", "baseline"};
inline constexpr size_t kTargets = kTargetNames.size();

/// The index of the processor's best target, or of the one that use_target() has set.
size_t best_target();

/// For tests: use `target`, which must not be better than the processor's best, instead of the best.
void use_target(size_t target);
void use_best_target();

}  // namespace onepass::simd
