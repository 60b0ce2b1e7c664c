// depth_query.comp: tests many rectangles on the screen for occlusion. docs/shaders/depth_query.md
#version 460
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
layout(push_constant, std430) uniform Constants { uint width, height, count; } pc;
struct Rect {
  vec4 rect;
  float nearest;
};                                          // begin in xy, end in zw; nearest depth
layout(binding = 0) uniform sampler2D hiz;  // farthest depths, level 0 included
layout(binding = 1, std430) readonly buffer Rects { Rect rects[]; };
layout(binding = 2, std430) writeonly buffer Hidden { uint hidden[]; };

#define ONEPASS_LOAD_FARTHEST(level, cell) texelFetch(hiz, ivec2(cell), int(level)).r
#include "onepass/depth_query.glsl"

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= pc.count) return;
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uvec2(pc.width, pc.height), ONEPASS_COVERING, false);
  hidden[i] = onepass_rect_occluded(pyramid, rects[i].rect, rects[i].nearest) ? 1u : 0u;
}
