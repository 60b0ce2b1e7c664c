// eyes.glsl: the frame's parameters and the geometry of its cameras.
#ifndef FRAME_EYES_GLSL_
#define FRAME_EYES_GLSL_
#include "frame_params.h"

layout(std430, set = 0, binding = 0) readonly buffer Frame { FrameParams frame; };

float near_plane(uint eye) { return frame.eyes[eye].origin.w; }
float distance_of_depth(uint eye, float depth) { return near_plane(eye) / max(depth, 1e-7); }

vec3 ray_of(uint eye, vec2 uv) {
  Eye e = frame.eyes[eye];
  return e.forward.xyz + (2.0 * uv.x - 1.0) * e.right.xyz + (2.0 * uv.y - 1.0) * e.down.xyz;
}

vec3 world_at(uint eye, vec2 uv, float distance) { return frame.eyes[eye].origin.xyz + distance * ray_of(eye, uv); }

// Texture coordinates and depth of a point in front of the eye.
vec3 screen_of(mat4 clip_of_world, vec3 world) {
  vec4 clip = clip_of_world * vec4(world, 1.0);
  return vec3(0.5 + 0.5 * clip.xy / clip.w, clip.z / clip.w);
}
#endif  // FRAME_EYES_GLSL_
