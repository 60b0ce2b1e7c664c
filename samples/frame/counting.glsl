// counting.glsl: adds numbers of the invocations of a workgroup to the frame's counters: shared memory first, then one
// atomic operation per workgroup. COUNTERS_BINDING is defined before the inclusion.
#ifndef FRAME_COUNTING_GLSL_
#define FRAME_COUNTING_GLSL_
#include "frame_params.h"

layout(std430, set = 0, binding = COUNTERS_BINDING) buffer CountersBuffer { Counters counters; };
shared uint s_sums[3];

void begin_counting() {
  if (gl_LocalInvocationIndex < 3u) s_sums[gl_LocalInvocationIndex] = 0u;
  barrier();  // zeros before sums
}

// True in the invocation that adds the workgroup's sums, s_sums, to the counters. All invocations call it once.
bool sum_counts(uint a, uint b, uint c) {
  if (a != 0u) atomicAdd(s_sums[0], a);
  if (b != 0u) atomicAdd(s_sums[1], b);
  if (c != 0u) atomicAdd(s_sums[2], c);
  barrier();  // sums are complete
  return gl_LocalInvocationIndex == 0u;
}
#endif  // FRAME_COUNTING_GLSL_
