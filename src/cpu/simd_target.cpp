// simd_target.cpp: finds the processor's SIMD targets.
#include "cpu/simd_target.hpp"

#include <algorithm>
#include <atomic>

namespace onepass::simd {
namespace {

/// Asks for every instruction set that Highway's targets use, except those that compilers cannot ask for and that all
/// processors with the others have: F16C and LZCNT with AVX2, VAES with VPCLMULQDQ.
size_t detect() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  if (!sse4) return kTargets - 1;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  if (!avx2) return 3;
  const bool avx3 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd");
  if (!avx3) return 2;
  const bool avx3_dl = __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("vpclmulqdq") &&
                       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                       __builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512vpopcntdq") &&
                       __builtin_cpu_supports("avx512bitalg");
  return avx3_dl ? 0 : 1;
#else
  return kTargets - 1;
#endif
}

std::atomic<size_t> least{0};  ///< No better target is used.

}  // namespace

size_t best_target() {
  static const size_t detected = detect();
  return std::max(detected, least.load(std::memory_order_relaxed));
}

void use_target(size_t target) { least.store(target, std::memory_order_relaxed); }
void use_best_target() { use_target(0); }

}  // namespace onepass::simd
