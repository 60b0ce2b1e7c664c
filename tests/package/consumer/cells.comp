// cells.comp: a shader of somebody else's that includes an installed header.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D hiz;
layout(binding = 1) buffer Hidden { uint hidden[]; };

#define ONEPASS_LOAD_FARTHEST(level, cell) texelFetch(hiz, ivec2(cell), int(level)).r
#include "onepass/depth_query.glsl"

void main() {
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uvec2(1920, 1080), ONEPASS_COVERING, false);
  hidden[gl_GlobalInvocationID.x] = uint(onepass_rect_occluded(pyramid, vec4(0.1, 0.1, 0.2, 0.2), 0.5));
}
