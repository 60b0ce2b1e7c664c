// box.vert: the 36 vertices of each box of a list, without vertex buffers.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "eyes.glsl"

layout(std430, set = 0, binding = 3) readonly buffer Objects { Object objects[]; };
layout(std430, set = 0, binding = 4) readonly buffer Lists { uint entries[]; };
layout(push_constant) uniform Push { DrawParams pc; };

layout(location = 0) out vec3 world;
layout(location = 1) flat out uvec3 surface;  // face, material and colour, index
layout(location = 2) out vec3 local;          // 0 to the box's size
layout(location = 3) flat out vec3 size;
invariant gl_Position;  // depth and colour passes draw the same depths

// Two triangles over a unit square.
const uvec2 kSquare[6] = uvec2[](uvec2(0, 0), uvec2(1, 0), uvec2(1, 1), uvec2(0, 0), uvec2(1, 1), uvec2(0, 1));

void main() {
  uint index = entries[pc.first + gl_InstanceIndex];
  Object box = objects[index];
  uint face = uint(gl_VertexIndex) / 6u;
  uint axis = face >> 1u;
  bool positive = (face & 1u) != 0u;
  uvec2 square = kSquare[uint(gl_VertexIndex) % 6u];
  uvec2 at = positive ? square : square.yx;              // the same winding for all faces, seen from outside
  uvec3 corner = uvec3(positive ? 1u : 0u, at.x, at.y);  // along axis, axis + 1, axis + 2
  if (axis == 1u) corner = corner.zxy;
  if (axis == 2u) corner = corner.yzx;
  vec3 low = vec3(box.low_x, box.low_y, box.low_z);
  vec3 high = vec3(box.high_x, box.high_y, box.high_z);
  world = mix(low, high, vec3(corner));
  size = high - low;
  local = size * vec3(corner);
  surface = uvec3(face, box.material | box.colour << 8u, index);
  mat4 clip_of_world = pc.eye == EYE_SUN ? frame.sun_of_world : frame.eyes[min(pc.eye, 1u)].clip_of_world;
  gl_Position = clip_of_world * vec4(world, 1.0);
}
