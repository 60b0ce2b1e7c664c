// custom_reduction4.hlsl: pyramids that reduce four texels in order. docs/shaders/custom_reduction.md
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"

#ifndef COMBINE
#define COMBINE 0
#endif
#include "custom_reduction4.glsl"

#define ONEPASS_FOOTPRINT ONEPASS_ALIGNED
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i].element
[[vk::push_constant]] cbuffer Constants { PyramidParams pc; };
struct Kept {
  ONEPASS_ELEMENT element;
};  // a struct of its own, as glslang requires: docs/shaders/README.md
[[vk::binding(0)]] StructuredBuffer<BASE> base;
[[vk::binding(1)]] RWStructuredBuffer<MADE> made;
[[vk::binding(2)]] ONEPASS_COHERENT RWStructuredBuffer<uint> counters;
[[vk::binding(3)]] ONEPASS_COHERENT RWStructuredBuffer<Kept> kept;

ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice) {
  return element_of(base[(slice * pc.size.y + texel.y) * pc.size.x + texel.x]);
}

// Texels of levels 1 to `end` - 1. In the buffer a slice's levels follow each other.
uint texels_before(uint end) {
  uint texels = 0u;
  for (uint n = 1u; n < end; ++n) texels += max(pc.size.x >> n, 1u) * max(pc.size.y >> n, 1u);
  return texels;
}
void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  uint begin = slice * texels_before(pc.last_level + 1u) + texels_before(level);
  made[begin + texel.y * max(pc.size.x >> level, 1u) + texel.x] = level_texel(value, texel);
}

#include "onepass/pyramid.hlsl"
[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_pyramid(group, index); }
