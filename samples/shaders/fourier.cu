// fourier.cu: lines of 256 complex numbers, transformed in place, in CUDA C++. docs/shaders/cuda.md
#define ONEPASS_CUDA 1
#ifndef LENGTH  // 256 = 16 * 16: 16 invocations per line hold 16 values each
#define LENGTH 256u
#define LANES 16u
#define LINES 16u  // LANES * LINES is the size of the workgroup
#define PASSES 2u
#define RADIX_0 16u
#define RADIX_1 16u
#define RADIX_2 1u
#endif
#define ONEPASS_FOURIER_SIGNALS 1
#define ONEPASS_FOURIER_LENGTH LENGTH
#define ONEPASS_FOURIER_LANES LANES
#define ONEPASS_FOURIER_LINES LINES
#define ONEPASS_FOURIER_PASSES PASSES
#define ONEPASS_FOURIER_RADIX(p) ((p) == 0u ? RADIX_0 : (p) == 1u ? RADIX_1 : RADIX_2)
#define ONEPASS_FOURIER_PAD false
#define ONEPASS_FOURIER_SHARED (LENGTH * LINES)
#include "onepass/prelude.glsl"

ONEPASS_DEVICE_BEGIN

struct Fourier {
  onepass_float2* values;
  const onepass_float2* table;  // exp(-2 pi i k / LENGTH), k < LENGTH
  uint count;                   // lines; count / LINES workgroups, rounded up

  onepass_float2 onepass_fourier_twiddle(uint k) { return table[k]; }
#include "onepass/fourier.glsl"

  void run(uint group, uint index) {
    uint lane = index / LINES;
    uint in_group = index % LINES;
    uint begin = (group * LINES + in_group) * LENGTH;
    bool has_line = group * LINES + in_group < count;
    ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(RADIX_0); ++m) {
      ONEPASS_UNROLL for (uint j = 0u; j < RADIX_0; ++j) {
        uint b = onepass_min(lane + m * LANES, LENGTH / RADIX_0 - 1u);
        v[m * RADIX_0 + j] = has_line ? values[begin + b + j * (LENGTH / RADIX_0)] : onepass_float2(0.0, 0.0);
      }
    }
    onepass_fourier(lane, in_group, false);
    const uint radix = ONEPASS_FOURIER_RADIX(PASSES - 1u);
    ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(radix); ++m) {
      uint b = lane + m * LANES;
      if (!has_line || b >= LENGTH / radix) continue;
      ONEPASS_UNROLL for (uint j = 0u; j < radix; ++j) values[begin + b + j * (LENGTH / radix)] = v[m * radix + j];
    }
  }
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL fourier(Fourier parameters) {
  Fourier kernel = parameters;  // v is in registers
  kernel.run(onepass_group_index().x, onepass_invocation_index());
}
