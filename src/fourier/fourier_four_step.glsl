// fourier_four_step.glsl: the code of fourier_four_step.comp, in GLSL and HLSL.
#include "onepass/prelude.glsl"
#include "onepass/fourier_params.h"
#include "fourier/fourier_constants.glsl"
#define LINE RADIX
#include "fourier/fourier_lines.glsl"
#include "fourier/fourier_pass.glsl"

void main() {
  uint lane = gl_LocalInvocationIndex / LINES;
  uint in_group = gl_LocalInvocationIndex % LINES;
  uint b = gl_WorkGroupID.x * LINES + in_group;
  uint line = gl_WorkGroupID.y;
  uint slice = gl_WorkGroupID.z;
  const uint first = radix_of(0u);
  const uint last = radix_of(PASSES - 1u);

  // Invocations without a butterfly load another's, for uniform control flow, and store nothing.
  bool exists = b < LENGTH / RADIX;
  b = min(b, LENGTH / RADIX - 1u);
  uint turn = b % pc.before * (LENGTH / (pc.before * RADIX));

  EACH_VALUE(first) {
    COUNTED(exists && onepass_fourier_has(first, lane + m * LANES));
    uint n = onepass_fourier_butterfly(lane, m, first) + j * (RADIX / first);
    v[m * first + j] = take(line, slice, b + n * (LENGTH / RADIX));
  }
  if (pc.before > 1u) {
    EACH_VALUE(first) {
      uint n = onepass_fourier_butterfly(lane, m, first) + j * (RADIX / first);
      v[m * first + j] = onepass_times(v[m * first + j], root(turn * n));
    }
  }

  // Bluestein: the results of a row are the values of a column of the inverse transform, whose table has R2 by R1
  // values. A loop with one call, because NVIDIA's compiler does not inline a function that is called twice.
  uint result = b / pc.before * pc.before * RADIX + b % pc.before;
  uint apart = pc.before;
  const uint transforms = does(ONEPASS_FOURIER_CONVOLVE) ? 2u : 1u;
  for (uint i = 0u; i < transforms; ++i) {
    onepass_fourier(lane, in_group, false);
    if (i + 1u < transforms) {
      EACH_VALUE(last) {
        uint k = onepass_fourier_butterfly(lane, m, last) + j * (RADIX / last);
        v[m * last + j] = convolved(v[m * last + j], result + k * apart);
      }
      if (PASSES > 1u) onepass_fourier_exchange(lane, in_group, RADIX / last, last, first);
      result = b * RADIX;
      apart = 1u;
    }
  }

  EACH_VALUE(last) {
    if (exists && onepass_fourier_has(last, lane + m * LANES)) {
      leave(line, slice, result + POSITION(last) * apart, v[m * last + j]);
    }
  }
}
