// custom_reduction.hlsl: pyramids with reductions of your own, selected by COMBINE. docs/shaders/custom_reduction.md
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#ifndef COMBINE
#define COMBINE 0
#endif
#if COMBINE == 0  // mean and mean of squares: variance
#define ONEPASS_ELEMENT float2
#elif COMBINE == 1  // the largest magnitude
#define ONEPASS_ELEMENT float
#else  // bits of the smallest depth, and the material of its texel
#define ONEPASS_ELEMENT uint2
#endif
#ifndef ONEPASS_FOOTPRINT
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#endif
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i].element
[[vk::push_constant]] cbuffer Constants { PyramidParams pc; };
struct Kept {
  ONEPASS_ELEMENT element;
};  // a struct of its own, as glslang requires: docs/shaders/README.md
[[vk::binding(0)]] StructuredBuffer<float2> base;
[[vk::binding(1)]] RWStructuredBuffer<ONEPASS_ELEMENT> made;
[[vk::binding(2)]] ONEPASS_COHERENT RWStructuredBuffer<uint> counters;
[[vk::binding(3)]] ONEPASS_COHERENT RWStructuredBuffer<Kept> kept;
#if COMBINE == 0
ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice) {
  float x = base[texel.y * pc.size.x + texel.x].x;
  return float2(x, x * x);
}
ONEPASS_ELEMENT onepass_reduce2(float2 a, float2 b, float2 weight) { return a * weight.x + b * weight.y; }
ONEPASS_ELEMENT onepass_reduce3(float2 a, float2 b, float2 c, float3 weight) {
  return a * weight.x + b * weight.y + c * weight.z;
}
#elif COMBINE == 1
ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice) { return base[texel.y * pc.size.x + texel.x].x; }
ONEPASS_ELEMENT onepass_reduce2(float a, float b, float2 weight) { return max(abs(a), abs(b)); }
#define ONEPASS_REDUCE3_NESTS
#else
ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice) {
  float2 at = base[texel.y * pc.size.x + texel.x];
  return uint2(onepass_float_bits(at.x), uint(at.y));  // depths are not negative: their bits have the same order
}
ONEPASS_ELEMENT onepass_reduce2(uint2 a, uint2 b, float2 weight) { return b.x < a.x ? b : a; }
#define ONEPASS_REDUCE3_NESTS
#endif

// The levels lie one after the other in a buffer.
void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  uint at = texel.y * max(pc.size.x >> level, 1u) + texel.x;
  for (uint n = 1u; n < level; ++n) at += max(pc.size.x >> n, 1u) * max(pc.size.y >> n, 1u);
  made[at] = value;
}

#include "onepass/pyramid.hlsl"
[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_pyramid(group, index); }
