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

  onepass_fourier(lane, in_group, false);

  uint result = b / pc.before * pc.before * RADIX + b % pc.before;
  EACH_VALUE(last) {
    if (exists && onepass_fourier_has(last, lane + m * LANES)) {
      leave(line, slice, result + POSITION(last) * pc.before, v[m * last + j]);
    }
  }
}
