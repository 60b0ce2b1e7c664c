// local_exposure.comp: the kernel that makes the grid of local exposure. It has the bindings and the texel load; the
// algorithm is in shaders/onepass/local_exposure_grid.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/local_exposure_params.h"

layout(local_size_x = ONEPASS_LOCAL_GROUP) in;

layout(constant_id = 0) const bool GREY = false;

layout(push_constant, std430) uniform Constants { LocalGridParams pc; };
layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1, std430) ONEPASS_COHERENT buffer Counters { uint onepass_local_counters[]; };
layout(binding = 2, std430) ONEPASS_COHERENT buffer Raw { float2 onepass_local_raw[]; };
layout(binding = 3, std430) writeonly buffer Nodes { float2 onepass_local_nodes[]; };

#define ONEPASS_LOCAL_PARAMS pc
float4 onepass_load_texel(uint2 texel, uint slice) {
  float4 value = texelFetch(source, int3(texel, slice), 0);
  return GREY ? value.rrra : value;
}

#include "onepass/local_exposure_grid.glsl"
void main() { onepass_local_grid(gl_WorkGroupID); }
