// depth_query_beside_pyramid.comp: depth_query.glsl and pyramid.glsl in one shader. Only compiled, never run.
#version 450
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 256) in;
layout(binding = 0) uniform sampler2D hiz;
layout(binding = 1) coherent buffer Kept { float b_intermediate[]; };
layout(binding = 2) coherent buffer Counters { uint b_counters[]; };

#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
layout(push_constant) uniform Push { PyramidParams params; } pc;
#define ONEPASS_PARAMS pc.params
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#define ONEPASS_ELEMENT float
#define ONEPASS_LOAD_FARTHEST(level, cell) texelFetch(hiz, ivec2(cell), int(level)).r
#include "onepass/depth_query.glsl"

float onepass_load_base(uint2 texel, uint slice) { return texelFetch(hiz, ivec2(texel), 0).r; }
float onepass_load_base_quad(uint2 texel, uint slice) { return onepass_load_base(2u * texel, slice); }
void onepass_load_base_block(uint2 texel, uint slice, out float a, out float b, out float c, out float d) {
  a = b = c = d = onepass_load_base(texel, slice);
}
float onepass_reduce2(float a, float b, float2 weight) { return max(a, b); }
float onepass_reduce3(float a, float b, float c, float3 weight) { return max(max(a, b), c); }
void onepass_store_level(uint level, uint2 texel, uint slice, float value) {}
void onepass_touch_level(uint level) {}
float onepass_load_intermediate(uint index) { return b_intermediate[index]; }
void onepass_store_intermediate(uint index, float value) { b_intermediate[index] = value; }
uint onepass_increment(uint counter) { return atomicAdd(b_counters[counter], 1u); }
void onepass_reset(uint counter) { b_counters[counter] = 0u; }
void onepass_delay(uint2 tile) {}
#define ONEPASS_OWN_LOAD_BLOCK
#define ONEPASS_OWN_LOAD_QUAD
#define ONEPASS_OWN_SCRATCH
#define ONEPASS_OWN_TOUCH
#define ONEPASS_OWN_DELAY
#include "onepass/pyramid.glsl"

void main() {
  onepass_pyramid(gl_WorkGroupID);
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(pc.params.size, ONEPASS_FOOTPRINT, false);
  if (onepass_rect_occluded(pyramid, float4(0.1, 0.1, 0.2, 0.2), 0.5)) onepass_store_intermediate(0u, 1.0);
}
