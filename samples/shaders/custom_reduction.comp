// custom_reduction.comp: pyramids with reductions of your own, selected by COMBINE. docs/shaders/custom_reduction.md
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"

#ifndef COMBINE
#define COMBINE 0
#endif
#if COMBINE == 0  // mean and mean of squares: variance
#define ONEPASS_ELEMENT vec2
#elif COMBINE == 1  // the largest magnitude
#define ONEPASS_ELEMENT float
#else  // bits of the smallest depth, and the material of its texel
#define ONEPASS_ELEMENT uvec2
#endif
#ifndef ONEPASS_FOOTPRINT
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#endif
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]
layout(local_size_x = 256) in;
layout(push_constant, std430) uniform Constants { PyramidParams pc; };
layout(binding = 0, std430) readonly buffer Base { vec2 base[]; };
layout(binding = 1, std430) writeonly buffer Made { ONEPASS_ELEMENT made[]; };
layout(binding = 2, std430) ONEPASS_COHERENT buffer Counters { uint counters[]; };
layout(binding = 3, std430) ONEPASS_COHERENT buffer Kept { ONEPASS_ELEMENT kept[]; };

#if COMBINE == 0
ONEPASS_ELEMENT onepass_load_base(uvec2 texel, uint slice) {
  float x = base[texel.y * pc.size.x + texel.x].x;
  return vec2(x, x * x);
}
ONEPASS_ELEMENT onepass_reduce2(vec2 a, vec2 b, vec2 weight) { return a * weight.x + b * weight.y; }
ONEPASS_ELEMENT onepass_reduce3(vec2 a, vec2 b, vec2 c, vec3 weight) {
  return a * weight.x + b * weight.y + c * weight.z;
}
#elif COMBINE == 1
ONEPASS_ELEMENT onepass_load_base(uvec2 texel, uint slice) { return base[texel.y * pc.size.x + texel.x].x; }
ONEPASS_ELEMENT onepass_reduce2(float a, float b, vec2 weight) { return max(abs(a), abs(b)); }
#define ONEPASS_REDUCE3_NESTS
#else
ONEPASS_ELEMENT onepass_load_base(uvec2 texel, uint slice) {
  vec2 at = base[texel.y * pc.size.x + texel.x];
  return uvec2(onepass_float_bits(at.x), uint(at.y));  // depths are not negative: their bits have the same order
}
ONEPASS_ELEMENT onepass_reduce2(uvec2 a, uvec2 b, vec2 weight) { return b.x < a.x ? b : a; }
#define ONEPASS_REDUCE3_NESTS
#endif

// The levels lie one after the other in a buffer.
void onepass_store_level(uint level, uvec2 texel, uint slice, ONEPASS_ELEMENT value) {
  uint at = texel.y * max(pc.size.x >> level, 1u) + texel.x;
  for (uint n = 1u; n < level; ++n) at += max(pc.size.x >> n, 1u) * max(pc.size.y >> n, 1u);
  made[at] = value;
}

#include "onepass/pyramid.glsl"
void main() { onepass_pyramid(gl_WorkGroupID); }
