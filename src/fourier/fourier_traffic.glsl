// fourier_traffic.glsl: sums the bytes that invocations access, where COUNT_TRAFFIC is 1: a test compares the sums with
// the plan's figures.
#if COUNT_TRAFFIC
layout(binding = 7) buffer Counts { uint counts[]; };
bool counted = true;  // false: loaded only to keep control flow uniform
#define COUNT_READ(bytes) atomicAdd(counts[0], counted ? bytes : 0u)
#define COUNT_WRITTEN(bytes) atomicAdd(counts[1], bytes)
#define COUNTED(condition) counted = condition
#define COUNT_ONLY_IF(condition) counted = counted && (condition)  // until the next COUNTED
#else
#define COUNTED(condition)
#define COUNT_ONLY_IF(condition)
#define COUNT_READ(bytes)
#define COUNT_WRITTEN(bytes)
#endif
