// camera.glsl: the camera and random numbers, shared by the shaders of this sample.
#ifndef ONEPASS_SAMPLES_CAMERA_GLSL_
#define ONEPASS_SAMPLES_CAMERA_GLSL_

#include "particles_params.h"

layout(constant_id = 0) const bool REVERSED_Z = false;
layout(push_constant) uniform Push { ParticlesParams pc; };

OnepassProjection projection() {
  OnepassProjection p;
  p.scale = vec2(1.0 / pc.right.w, 1.0 / pc.down.w);
  p.offset = vec2(0.0);
  p.near_plane = pc.eye.w;
  p.far_plane = pc.forward.w;
  p.orthographic = false;
  p.reversed_z = REVERSED_Z;
  return p;
}

// The ray through a position in the image, in texels. It advances by 1 along the camera's axis, so that ray parameters
// are distances along this axis.
vec3 ray_through(vec2 place) {
  vec2 device = 2.0 * place / vec2(pc.width, pc.height) - 1.0;
  return pc.forward.xyz + device.x * pc.right.w * pc.right.xyz + device.y * pc.down.w * pc.down.xyz;
}

// Projects a point of the world: x and y in the image, in texels, and the distance along the camera's axis.
vec3 project(vec3 point) {
  vec3 from_eye = point - pc.eye.xyz;
  float distance = dot(from_eye, pc.forward.xyz);
  vec2 device = vec2(dot(from_eye, pc.right.xyz), dot(from_eye, pc.down.xyz)) * projection().scale / distance;
  return vec3((0.5 * device + 0.5) * vec2(pc.width, pc.height), distance);
}

// PCG: M. Jarzynski, M. Olano, Hash Functions for GPU Rendering, 2020.
uint hash(uint x) {
  uint state = x * 747796405u + 2891336453u;
  uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}

// The next number of a sequence, 0 to 1.
float random(inout uint sequence) {
  sequence = hash(sequence);
  return float(sequence >> 8) * (1.0 / 16777216.0);
}

#endif  // ONEPASS_SAMPLES_CAMERA_GLSL_
