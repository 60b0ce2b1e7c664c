// ordered_reduction.hlsl: a pyramid of ordered_reduction.glsl.
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "ordered_reduction.glsl"

// A struct per buffer: glslang declares all structured buffers of one element type alike.
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i].element
#define LOAD(i) base[i].number
#define MADE(i) made[i].element
struct Base {
  uint number;
};
struct Made {
  ONEPASS_ELEMENT element;
};
struct Kept {
  ONEPASS_ELEMENT element;
};
[[vk::push_constant]] cbuffer Constants { PyramidParams pc; };
[[vk::binding(0)]] StructuredBuffer<Base> base;
[[vk::binding(1)]] RWStructuredBuffer<Made> made;
[[vk::binding(2)]] ONEPASS_COHERENT RWStructuredBuffer<uint> counters;
[[vk::binding(3)]] ONEPASS_COHERENT RWStructuredBuffer<Kept> kept;
[[vk::binding(4)]] ONEPASS_COHERENT RWStructuredBuffer<uint> mailbox;

#include "ordered_reduction_body.glsl"
#include "onepass/pyramid.hlsl"
[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_pyramid(group, index); }
