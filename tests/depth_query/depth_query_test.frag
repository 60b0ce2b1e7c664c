// depth_query_test.frag: depth_query.glsl in a fragment shader, with only the macros that it documents. Only compiled.
#version 450
#extension GL_GOOGLE_include_directive : require

layout(binding = 0) uniform sampler2D hiz;
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 0) out vec4 color;

#define ONEPASS_LOAD_FARTHEST(level, cell) texelFetch(hiz, ivec2(cell), int(level)).g
#define ONEPASS_LOAD_NEAREST(level, cell) texelFetch(hiz, ivec2(cell), int(level)).r
#include "onepass/depth_query.glsl"

void main() {
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uint2(textureSize(hiz, 0)), ONEPASS_COVERING, false);
  OnepassRay ray = onepass_march(pyramid, from, to, 64u);
  bool occluded = onepass_rect_occluded(pyramid, float4(from.xy, to.xy), from.z);
  color = float4(onepass_ray_point(pyramid, ray), ray.state == ONEPASS_RAY_HIT && !occluded ? 1.0 : 0.0);
}
