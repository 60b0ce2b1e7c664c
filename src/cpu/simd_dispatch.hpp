// simd_dispatch.hpp: calls a function's version for the best SIMD target of the processor.
//
//     namespace onepass {            // around HWY_NAMESPACE, after the functions of all targets
//     ONEPASS_SIMD_EXPORT(sum);
//     float sum_of(const float* x, size_t n) { return ONEPASS_SIMD_CALL(sum)(x, n); }
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

}  // namespace onepass::simd

#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // one target
#define ONEPASS_SIMD_EXPORT(name) static_assert(true)
#define ONEPASS_SIMD_CALL(name) HWY_STATIC_DISPATCH(name)
#else
#define ONEPASS_SIMD_EXPORT(name)                                                                         \
  constexpr std::array<decltype(&HWY_STATIC_DISPATCH(name)), onepass::simd::kTargets> name##_versions = { \
      HWY_CHOOSE_AVX3_DL(name), HWY_CHOOSE_AVX3(name), HWY_CHOOSE_AVX2(name), HWY_CHOOSE_SSE4(name),      \
      HWY_CHOOSE_FALLBACK(name)}
#define ONEPASS_SIMD_CALL(name) (*onepass::simd::version_of(name##_versions))
#endif
