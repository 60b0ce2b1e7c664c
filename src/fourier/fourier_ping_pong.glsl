// fourier_ping_pong.glsl: the code of fourier_ping_pong.comp, in GLSL and HLSL.
#include "onepass/prelude.glsl"
#include "onepass/fourier_params.h"
#include "fourier/fourier_constants.glsl"
#if ONEPASS_FOURIER_SIGNALS == 2
#define ONEPASS_FOURIER_T float4
#else
#define ONEPASS_FOURIER_T float2
#endif
#include "onepass/fourier_dft.glsl"
#include "fourier/fourier_pass.glsl"

void main() {
  uint b = gl_GlobalInvocationID.x;
  uint line = gl_GlobalInvocationID.y;
  uint slice = gl_GlobalInvocationID.z;
  if (b >= LENGTH / RADIX) return;
  uint turn = b % pc.before * (LENGTH / (pc.before * RADIX));

  ONEPASS_UNROLL for (uint j = 0u; j < RADIX; ++j) {
    COUNTED(true);
    v[j] = take(line, slice, b + j * (LENGTH / RADIX));
    if (j > 0u && pc.before > 1u) v[j] = onepass_times(v[j], root(turn * j));
  }

  onepass_dft(RADIX, 1u);

  uint result = b / pc.before * pc.before * RADIX + b % pc.before;
  ONEPASS_UNROLL for (uint j = 0u; j < RADIX; ++j) {
    uint k = result + j * pc.before;
    if (does(ONEPASS_FOURIER_CONVOLVE)) v[j] = convolved(v[j], k);
    leave(line, slice, k, v[j]);
  }
}
