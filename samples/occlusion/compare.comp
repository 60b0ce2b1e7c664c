// compare.comp: counts the pixels whose colour or depth differs between two frames. One invocation per pixel.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "occlusion_params.h"
layout(local_size_x = COMPARE_GROUP_SIZE, local_size_y = COMPARE_GROUP_SIZE) in;

layout(set = 0, binding = 0) uniform sampler2D culled_colour;
layout(set = 0, binding = 1) uniform sampler2D culled_depth;
layout(set = 0, binding = 2) uniform sampler2D all_colour;
layout(set = 0, binding = 3) uniform sampler2D all_depth;
layout(std430, set = 0, binding = 4) buffer Result { uint different; };

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, textureSize(all_colour, 0)))) return;
  bool same = texelFetch(culled_colour, at, 0) == texelFetch(all_colour, at, 0) &&
              texelFetch(culled_depth, at, 0).r == texelFetch(all_depth, at, 0).r;
  if (!same) atomicAdd(different, 1u);
}
