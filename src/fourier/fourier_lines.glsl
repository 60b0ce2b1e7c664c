// fourier_lines.glsl: transforms of LINE values by a workgroup: onepass/fourier.glsl with the constants of the kernels.
#define ONEPASS_FOURIER_LENGTH LINE
#define ONEPASS_FOURIER_LANES LANES
#define ONEPASS_FOURIER_LINES LINES
#define ONEPASS_FOURIER_PASSES PASSES
#define ONEPASS_FOURIER_RADIX(p) radix_of(p)
#define ONEPASS_FOURIER_PAD PAD
#define ONEPASS_FOURIER_SHARED SHARED

float2 onepass_fourier_twiddle(uint k) { return root(k * (LENGTH / LINE)); }

#include "onepass/fourier.glsl"

// EACH_VALUE: loop over the values j of an invocation's butterflies m in the first or last pass, which has this radix.
// POSITION: such a value's position in its line.
#define EACH_VALUE(radix)                                                 \
  ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(radix); ++m) \
      ONEPASS_UNROLL for (uint j = 0u; j < radix; ++j)
#define POSITION(radix) (lane + m * LANES + j * (LINE / radix))
