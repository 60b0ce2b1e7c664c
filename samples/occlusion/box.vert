// box.vert: the 36 vertices of each box of a list, without vertex buffers.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "occlusion_params.h"

layout(std430, set = 0, binding = 0) readonly buffer Boxes { Box boxes[]; };
layout(std430, set = 0, binding = 1) readonly buffer Lists { uint entries[]; };
layout(push_constant) uniform Push { DrawParams pc; };

layout(location = 0) out vec3 world;
layout(location = 1) flat out vec3 normal;
layout(location = 2) flat out uint colour;

// Two triangles over a unit square, counter-clockwise.
const uvec2 kSquare[6] = uvec2[](uvec2(0, 0), uvec2(1, 0), uvec2(1, 1), uvec2(0, 0), uvec2(1, 1), uvec2(0, 1));

void main() {
  Box box = boxes[entries[pc.first + gl_InstanceIndex]];
  uint face = uint(gl_VertexIndex) / 6u;
  uint axis = face >> 1u;
  bool positive = (face & 1u) != 0u;
  uvec2 square = kSquare[uint(gl_VertexIndex) % 6u];
  // Seen from outside, a negative face is mirrored: swapping x and y keeps it counter-clockwise.
  uvec2 at = positive ? square : square.yx;
  uvec3 corner = uvec3(positive ? 1u : 0u, at.x, at.y);  // along axis, axis + 1, axis + 2
  if (axis == 1u) corner = corner.zxy;
  if (axis == 2u) corner = corner.yzx;
  world = vec3(corner.x != 0u ? box.high_x : box.low_x, corner.y != 0u ? box.high_y : box.low_y,
               corner.z != 0u ? box.high_z : box.low_z);
  normal = vec3(axis == 0u, axis == 1u, axis == 2u) * (positive ? 1.0 : -1.0);
  colour = box.colour;
  gl_Position = pc.clip_of_world * vec4(world, 1.0);
}
