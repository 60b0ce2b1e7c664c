// half_elements.comp: a pyramid of half-precision elements, which shader_header_errors.cmake compiles:
// docs/shaders/README.md promises that the headers take them. The library's own kernels have fp32 elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#if ONEPASS_SUBGROUP
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#endif
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"

layout(local_size_x = 256) in;
layout(push_constant, std430) uniform Constants { PyramidParams pc; };
layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) uniform writeonly image2DArray levels[12];
layout(binding = 2, std430) ONEPASS_COHERENT buffer Counters { uint counters[]; };
layout(binding = 3, std430) ONEPASS_COHERENT buffer Kept { vec4 kept[]; };

#define ONEPASS_ELEMENT f16vec4
#define ONEPASS_SCALAR float16_t
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#define ONEPASS_REDUCTION ONEPASS_MEAN
#define ONEPASS_PARAMS pc
#define ONEPASS_OWN_SCRATCH

f16vec4 onepass_load_base(uvec2 texel, uint slice) { return f16vec4(texelFetch(source, ivec3(texel, slice), 0)); }
void onepass_store_level(uint level, uvec2 texel, uint slice, f16vec4 value) {
  if (level == 1u) imageStore(levels[0], ivec3(texel, slice), vec4(value));
}
f16vec4 onepass_load_intermediate(uint index) { return f16vec4(kept[index]); }
void onepass_store_intermediate(uint index, f16vec4 value) { kept[index] = vec4(value); }
uint onepass_increment(uint counter) { return atomicAdd(counters[counter], 1u); }
void onepass_reset(uint counter) { onepass_atomic_store(counters[counter], 0u); }

#include "onepass/pyramid.glsl"

void main() { onepass_pyramid(gl_WorkGroupID); }
