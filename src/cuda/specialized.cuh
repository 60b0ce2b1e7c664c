// specialized.cuh: constants of the library's kernels in CUDA C++ that are known when a kernel is loaded, not when the
// library is compiled: the counterpart of specialization constants in SPIR-V.
//
// The PTX has a name in place of the number, which the library replaces in the text (src/cuda/kernel.cpp) before the
// driver compiles it. The driver's compiler then removes what the number makes unreachable: one PTX serves all formats
// and all numbers of stages.
#ifndef ONEPASS_SPECIALIZED_CUH_
#define ONEPASS_SPECIALIZED_CUH_

#ifndef __CUDA__
// On the host, tests define these: constant n of the kernel that runs, and a pause in a loop that waits for another
// invocation.
uint onepass_host_constant(uint n);
void onepass_host_pause();
#endif

// The struct of each variant has a name of its own, because variants are linked together on the host.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL_STRUCT JOIN(KERNEL, _parameters)

/// Constant number N, of type uint, float or bool.
template <uint N, typename T = uint>
struct Specialized {
  constexpr Specialized() {}
  operator T() const {
    uint word;
#ifdef __CUDA__
    asm("mov.u32 %0, ONEPASS_CONSTANT_%1_;" : "=r"(word) : "n"(N));  // not volatile: unused ones are removed
#else
    word = onepass_host_constant(N);
#endif
    if constexpr (sizeof(T) == sizeof(uint)) {
      return __builtin_bit_cast(T, word);
    } else {
      return word != 0u;
    }
  }
};

#endif  // ONEPASS_SPECIALIZED_CUH_
