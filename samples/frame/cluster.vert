// cluster.vert: cards with leaves or grass in the bounding box of each cluster of a list.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "eyes.glsl"
#include "noise.glsl"

layout(std430, set = 0, binding = 3) readonly buffer Objects { Object objects[]; };
layout(std430, set = 0, binding = 4) readonly buffer Lists { uint entries[]; };
layout(push_constant) uniform Push { DrawParams pc; };

layout(location = 0) out vec3 world;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec2 uv;
layout(location = 3) flat out vec4 tint;  // w: layer of the texture
layout(location = 4) flat out vec3 card;  // the card's own normal, on one of its sides
invariant gl_Position;

const vec2 kSquare[6] = vec2[](vec2(0, 0), vec2(1, 0), vec2(1, 1), vec2(0, 0), vec2(1, 1), vec2(0, 1));

void main() {
  uint index = entries[pc.first + gl_InstanceIndex];
  Object cluster = objects[index];
  uint sequence = hash(index * CLUSTER_CARDS + uint(gl_VertexIndex) / 6u);
  uv = kSquare[uint(gl_VertexIndex) % 6u];
  vec3 low = vec3(cluster.low_x, cluster.low_y, cluster.low_z);
  vec3 high = vec3(cluster.high_x, cluster.high_y, cluster.high_z);
  vec3 place = vec3(random(sequence), random(sequence), random(sequence));
  float turn = 6.28319 * random(sequence);
  bool grass = cluster.material == MATERIAL_GRASS;
  // Half the diagonal of a card; its middle stays this far away from the box's faces.
  float reach = 0.5 * min(min(high.x - low.x, high.z - low.z), high.y - low.y) * (grass ? 1.0 : 0.62);
  vec3 side = vec3(cos(turn), 0.0, sin(turn));
  vec3 up = vec3(0.0, 1.0, 0.0);
  float half_size = 0.7 * reach;
  if (!grass) {
    float tilt = 2.4 * (random(sequence) - 0.5);
    up = normalize(vec3(-sin(turn) * sin(tilt), cos(tilt), cos(turn) * sin(tilt)));
    half_size = (0.45 + 0.25 * random(sequence)) * reach;
  }
  vec3 middle = mix(low + reach, high - reach, place);
  if (grass) middle.y = low.y + half_size;
  world = middle + half_size * ((2.0 * uv.x - 1.0) * side + (1.0 - 2.0 * uv.y) * up);
  normal = normalize(cross(side, up) + 0.6 * vec3(0.0, 1.0, 0.0) + 0.8 * (place - 0.5));
  card = normalize(cross(side, up));
  vec3 colour = vec3(uvec3(cluster.colour >> 16u, cluster.colour >> 8u, cluster.colour) & 255u) / 255.0;
  tint = vec4(colour * (0.65 + 0.7 * random(sequence)), grass ? 1.0 : 0.0);
  mat4 clip_of_world = pc.eye == EYE_SUN ? frame.sun_of_world : frame.eyes[min(pc.eye, 1u)].clip_of_world;
  gl_Position = clip_of_world * vec4(world, 1.0);
}
