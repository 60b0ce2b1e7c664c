// reflection_march.comp: one ray of each texel's reflection, and the light that it brings. docs/shaders/reflection.md
#version 460
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std140) uniform Frame {
  mat4 clip_from_world, world_from_clip;
  uint width, height, last_level, number;  // of the pyramid's coarsest level; of the frame
} frame;
layout(binding = 1) uniform sampler2D nearest;            // depth, and levels of nearest depths; 1 is near
layout(binding = 2) uniform sampler2D normals;            // xyz in the world, w: roughness
layout(binding = 3) uniform sampler2D colors;             // the lit frame
layout(binding = 4) uniform writeonly image2D radiance;   // alpha: confidence
layout(binding = 5) uniform writeonly image2D distances;  // of hits; 0: none, -1: no ray

#define ONEPASS_LOAD_NEAREST(level, cell) texelFetch(nearest, ivec2(cell), int(level)).r
#define ONEPASS_LOAD_NORMAL(texel) texelFetch(normals, ivec2(texel), 0).xyz
#define ONEPASS_CLIP_FROM_WORLD frame.clip_from_world
#define ONEPASS_WORLD_FROM_CLIP frame.world_from_clip
#include "onepass/reflection_march.glsl"

// Two random numbers of a texel and frame. Blue noise is better: its errors are filtered more easily.
vec2 random_of(uvec2 texel) {
  uvec2 v = (texel * 2u + frame.number * uvec2(40503u, 62233u)) * 1664525u + 1013904223u;
  v.x += v.y * 1664525u;
  v.y += v.x * 1664525u;
  v ^= v >> 16u;
  v.x += v.y * 1664525u;
  v.y += v.x * 1664525u;
  return vec2(v >> 8u) / 16777216.0;
}

void main() {
  uvec2 texel = gl_GlobalInvocationID.xy;
  uvec2 size = uvec2(frame.width, frame.height);
  if (texel.x >= size.x || texel.y >= size.y) return;
  vec4 normal = texelFetch(normals, ivec2(texel), 0);
  OnepassSurface surface = onepass_make_surface(frame.world_from_clip, onepass_center_of(texel, size),
                                                texelFetch(nearest, ivec2(texel), 0).r, true, normal.xyz, normal.w);
  vec4 light = vec4(0.0);
  float distance = -1.0;
  if (surface.exists && surface.roughness <= 0.6) {
    OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(size, ONEPASS_COVERING, true);
    pyramid.last_level = frame.last_level;
    vec3 direction = surface.roughness > 0.0 ? onepass_reflection_direction(surface, random_of(texel))
                                             : onepass_mirror_direction(surface);
    OnepassReflectionHit hit =
        onepass_reflection_trace(pyramid, texel, surface, direction, OnepassReflectionRules(0.0, 0.02, 256u));
    distance = hit.distance;
    light.a = hit.distance > 0.0 ? onepass_border_confidence(hit.at, 0.05) : 0.0;
    if (light.a > 0.0) light.rgb = light.a * texelFetch(colors, min(ivec2(hit.at * size), ivec2(size) - 1), 0).rgb;
  }
  imageStore(radiance, ivec2(texel), light);
  imageStore(distances, ivec2(texel), vec4(distance));
}
