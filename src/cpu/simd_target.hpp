// simd_target.hpp: the SIMD targets of the processor. simd_dispatch.hpp chooses functions by them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace onepass::simd {

/// Targets that are chosen at run time, the best first. The last one is what the compiler's flags allow.
inline constexpr std::array<const char*, 5> kTargetNames = {"AVX3_DL", "AVX3", "AVX2", "SSE4", "baseline"};
inline constexpr size_t kTargets = kTargetNames.size();

/// The index of the processor's best target, or of the one that use_target() has set.
size_t best_target();

/// The instruction sets that the compiler may use in the functions of a target, by the names of the compiler's option
/// -m ("avx2", "bmi"). The processor must have all of them. Empty for the baseline and for targets that are not built.
std::vector<std::string_view> instruction_sets(size_t target);

/// For tests: use `target`, which must not be better than the processor's best, instead of the best.
void use_target(size_t target);
void use_best_target();

}  // namespace onepass::simd
