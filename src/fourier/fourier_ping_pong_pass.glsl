// fourier_ping_pong_pass.glsl: the code of fourier_ping_pong_pass.comp, in GLSL and HLSL. LINE_COUNT counts a line per
// signal.
#include "onepass/prelude.glsl"
#include "onepass/fourier_params.h"
#include "fourier/fourier_constants.glsl"
#define ONEPASS_FOURIER_T float2
#define T float2
#include "onepass/fourier_dft.glsl"
#include "fourier/fourier_traffic.glsl"
#include "fourier/fourier_steps.glsl"

READ_BUFFER(2, float2, ping)
WRITE_BUFFER(3, float2, pong)

void main() {
  uint b = gl_GlobalInvocationID.x;
  uint begin = (gl_GlobalInvocationID.z * LINE_COUNT + gl_GlobalInvocationID.y) * LENGTH;
  if (b >= LENGTH / RADIX) return;
  uint turn = b % pc.before * (LENGTH / (pc.before * RADIX));

  ONEPASS_UNROLL for (uint j = 0u; j < RADIX; ++j) {
    COUNT_READ(8u);
    v[j] = ping[begin + b + j * (LENGTH / RADIX)];
    if (j > 0u && pc.before > 1u) v[j] = onepass_times(v[j], root(turn * j));
  }

  onepass_dft(RADIX, 1u);

  uint result = b / pc.before * pc.before * RADIX + b % pc.before;
  ONEPASS_UNROLL for (uint j = 0u; j < RADIX; ++j) {
    uint k = result + j * pc.before;
    if (does(ONEPASS_FOURIER_CONVOLVE)) v[j] = convolved(v[j], k);
    COUNT_WRITTEN(8u);
    pong[begin + k] = v[j];
  }
}
