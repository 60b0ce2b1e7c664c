// simd_target.cpp: finds the processor's SIMD targets.
#include "cpu/simd_target.hpp"

#include <algorithm>
#include <atomic>

namespace onepass::simd {
namespace {

enum Target : size_t { kAvx3Dl, kAvx3, kAvx2, kSse4, kBaseline };  // in the order of kTargetNames
static_assert(kBaseline + 1 == kTargets);

/// The processor needs every instruction set that the functions of a target use. clang 14 cannot ask for F16C, LZCNT
/// and VAES: processors with AVX2, FMA and BMI2 have the first two, those with AVX-512 and VPCLMULQDQ the third.
Target detect() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  if (!sse4) return kBaseline;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  if (!avx2) return kSse4;
  const bool avx3 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd");
  if (!avx3) return kAvx2;
  const bool avx3_dl = __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("vpclmulqdq") &&
                       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                       __builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512vpopcntdq") &&
                       __builtin_cpu_supports("avx512bitalg");
  return avx3_dl ? kAvx3Dl : kAvx3;
#else
  return kBaseline;
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
