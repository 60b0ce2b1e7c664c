// custom_reduction4.comp: pyramids that reduce four texels in order. docs/shaders/custom_reduction.md
#version 460
#extension GL_GOOGLE_include_directive : require
#define ONEPASS_KEEP_NAMES  // custom_reduction4.glsl has HLSL's names of vectors
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"

#ifndef COMBINE
#define COMBINE 0
#endif
#include "custom_reduction4.glsl"

#define ONEPASS_FOOTPRINT ONEPASS_ALIGNED
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]
layout(local_size_x = 256) in;
layout(push_constant, std430) uniform Constants { PyramidParams pc; };
layout(binding = 0, std430) readonly buffer Base { BASE base[]; };
layout(binding = 1, std430) writeonly buffer Made { MADE made[]; };
layout(binding = 2, std430) ONEPASS_COHERENT buffer Counters { uint counters[]; };
layout(binding = 3, std430) ONEPASS_COHERENT buffer Kept { ONEPASS_ELEMENT kept[]; };

ONEPASS_ELEMENT onepass_load_base(uvec2 texel, uint slice) {
  return element_of(base[(slice * pc.size.y + texel.y) * pc.size.x + texel.x]);
}

// Texels of levels 1 to `end` - 1. In the buffer a slice's levels follow each other.
uint texels_before(uint end) {
  uint texels = 0u;
  for (uint n = 1u; n < end; ++n) texels += max(pc.size.x >> n, 1u) * max(pc.size.y >> n, 1u);
  return texels;
}
void onepass_store_level(uint level, uvec2 texel, uint slice, ONEPASS_ELEMENT value) {
  uint begin = slice * texels_before(pc.last_level + 1u) + texels_before(level);
  made[begin + texel.y * max(pc.size.x >> level, 1u) + texel.x] = level_texel(value, texel);
}

#include "onepass/pyramid.glsl"
void main() { onepass_pyramid(gl_WorkGroupID); }
