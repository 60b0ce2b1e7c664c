// water.vert: a grid of rings around the eye, displaced by the waves; and the sky behind it.
//
// Rings are spaced by a constant factor, so that their distance is about constant in the picture. Each vertex reads the
// displacements at the level of the mip chains whose texels are as far apart as the vertices are, or a part of a pixel.
// An instance is the strip of triangles between two rings; the last instance is a rectangle that fills the picture with
// sky.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ocean_params.h"

layout(binding = 0) uniform sampler2DArray fields;
layout(push_constant) uniform Push { DrawParams pc; };
layout(location = 0) out vec3 world;  // of the surface; of the sky a point on the ray
layout(location = 1) out vec2 calm;   // place of the surface without waves, metres
layout(location = 2) flat out uint is_sky;

const float FARTHEST = 40000.0;

// Reversed depth: the near plane is 1, infinity 0. Scaled so that w is the distance along the camera's axis.
vec4 project(vec3 from_eye) {
  return vec4(dot(from_eye, pc.right.xyz) / pc.right.w, dot(from_eye, pc.down.xyz) / pc.down.w, pc.eye.w,
              dot(from_eye, pc.forward.xyz));
}

void main() {
  uint corner = uint(gl_VertexIndex);
  is_sky = uint(gl_InstanceIndex) == pc.rings ? 1u : 0u;
  calm = vec2(0.0);
  if (is_sky != 0u) {
    vec2 device = 2.0 * vec2(corner & 1u, min(corner >> 1u, 1u)) - 1.0;
    vec3 ray = pc.forward.xyz + device.x * pc.right.w * pc.right.xyz + device.y * pc.down.w * pc.down.xyz;
    world = pc.eye.xyz + ray;
    gl_Position = vec4(device, 0.0, 1.0);
    return;
  }
  float ring = float(uint(gl_InstanceIndex) + (corner & 1u)) / float(pc.rings);
  float angle = (2.0 * float(corner >> 1u) / float(pc.columns) - 1.0) * pc.forward.w;
  float growth = log(FARTHEST / pc.sun.w);
  float radius = pc.sun.w * exp(growth * ring);
  vec2 ahead = normalize(pc.forward.xz);
  calm = pc.eye.xz + radius * (cos(angle) * ahead + sin(angle) * vec2(-ahead.y, ahead.x));
  float spacing = radius * max(growth / float(pc.rings), 2.0 * pc.forward.w / float(pc.columns));
  // Far away a pixel covers many metres along the ray: shorter waves would flicker.
  spacing = max(spacing, radius * radius * pc.down.w / (float(pc.rings) * pc.eye.y));
  world = vec3(calm.x, 0.0, calm.y);
  for (int c = 0; c < CASCADES; ++c) {
    float level = log2(spacing * float(pc.texels) / pc.lengths[c]);
    world += textureLod(fields, vec3(calm / pc.lengths[c], c), level).xyz;
  }
  gl_Position = project(world - pc.eye.xyz);
}
