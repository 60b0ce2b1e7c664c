// simd_dispatch.hpp: calls a function's version for the best SIMD target of the processor.
//
//     namespace onepass {            // around HWY_NAMESPACE, after the functions of all targets
//     ONEPASS_SIMD_EXPORT(sum);
//     float sum_of(const float* x, size_t n) { return ONEPASS_SIMD_CALL(sum)(x, n); }
//
// A version of the best target may be missing for some arguments; ONEPASS_SIMD_FIND(choose, x) takes the next one then.
//
// Highway's HWY_EXPORT and HWY_DYNAMIC_DISPATCH do the same, but need its shared library, which measures the resolution
// of a timer whenever a process loads it: 3 ms, two fifths of the start of a program. This needs its headers only.
#pragma once

#include <array>
#include <cstddef>

#include "cpu/simd_target.hpp"
#include "hwy/highway.h"

namespace onepass::simd {

/// The version for the best target that the function has been compiled for.
template <typename Function>
Function version_of(const std::array<Function, kTargets>& versions) {
  size_t target = best_target();
  while (versions[target] == nullptr) ++target;  // the last one is always there
  return versions[target];
}

/// What the version for the best target returns, or, where that is null, the version for the next one.
template <typename Function, typename... Arguments>
auto first_found(const std::array<Function, kTargets>& versions, Arguments&... arguments) {
  decltype(versions[0](arguments...)) found{};
  for (size_t target = best_target(); target < kTargets && !found; ++target) {
    if (versions[target] != nullptr) found = versions[target](arguments...);
  }
  return found;
}

}  // namespace onepass::simd

#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // one target
#define ONEPASS_SIMD_EXPORT(name) static_assert(true)
#define ONEPASS_SIMD_CALL(name) HWY_STATIC_DISPATCH(name)
#define ONEPASS_SIMD_FIND(name, ...) HWY_STATIC_DISPATCH(name)(__VA_ARGS__)
#else
#define ONEPASS_SIMD_EXPORT(name)                                                                         \
  constexpr std::array<decltype(&HWY_STATIC_DISPATCH(name)), onepass::simd::kTargets> name##_versions = { \
      HWY_CHOOSE_AVX3_DL(name), HWY_CHOOSE_AVX3(name), HWY_CHOOSE_AVX2(name), HWY_CHOOSE_SSE4(name),      \
      HWY_CHOOSE_FALLBACK(name)}
#define ONEPASS_SIMD_CALL(name) (*onepass::simd::version_of(name##_versions))
#define ONEPASS_SIMD_FIND(name, ...) onepass::simd::first_found(name##_versions, __VA_ARGS__)
#endif
