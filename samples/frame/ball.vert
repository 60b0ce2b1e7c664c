// ball.vert: the triangles of each ball of a list, without vertex buffers: rings of squares from pole to pole.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "eyes.glsl"

layout(std430, set = 0, binding = 4) readonly buffer Lists { uint entries[]; };
layout(push_constant) uniform Push { DrawParams pc; };

layout(location = 0) out vec3 world;
layout(location = 1) out vec3 last;    // in the last frame
layout(location = 2) out vec3 normal;  // of the ball, not of the triangles
layout(location = 3) flat out uint ball;
invariant gl_Position;

const uvec2 kSquare[6] = uvec2[](uvec2(0, 0), uvec2(1, 0), uvec2(1, 1), uvec2(0, 0), uvec2(1, 1), uvec2(0, 1));

void main() {
  uint index = entries[pc.first + gl_InstanceIndex];
  ball = index - (frame.object_count - frame.ball_count);
  uint square = uint(gl_VertexIndex) / 6u;
  uvec2 corner = uvec2(square % BALL_SEGMENTS, square / BALL_SEGMENTS) + kSquare[uint(gl_VertexIndex) % 6u];
  float longitude = 6.28319 * float(corner.x % BALL_SEGMENTS) / float(BALL_SEGMENTS);
  float from_top = 3.14159 * float(corner.y) / float(BALL_RINGS);
  normal = vec3(sin(from_top) * cos(longitude), cos(from_top), sin(from_top) * sin(longitude));
  world = frame.balls[ball].xyz + frame.balls[ball].w * normal;
  last = frame.last_balls[ball].xyz + frame.last_balls[ball].w * normal;
  gl_Position = frame.eyes[min(pc.eye, 1u)].clip_of_world * vec4(world, 1.0);
}
