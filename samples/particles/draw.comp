// draw.comp: draws particles of one texel. Tests each particle against the depth buffer (a) always, or (b) only if the
// nearest depth of its tile does not prove it visible. Both give the same picture.
//
//              depth buffer, 8 MB at 1920x1080               nearest depth of tiles of 16x16, 32 KB
//     (a)      every particle: one random read
//     (b)      particles that their tile leaves open  <----  every particle: one read, from a cache
//
// An invocation owns a particle.
#version 460
#extension GL_GOOGLE_include_directive : require

layout(binding = 1) uniform sampler2D tiles;
#define ONEPASS_LOAD_TILE(tile) texelFetch(tiles, ivec2(tile), 0).r
#include "onepass/depth_query.glsl"
#include "camera.glsl"
#include "particle.glsl"

layout(constant_id = 1) const bool TILE_FIRST = false;
layout(constant_id = 2) const uint FACTOR = 16u;
layout(constant_id = 3) const bool COUNT = false;  // count, for pictures and checks; never timed
layout(binding = 0) uniform sampler2D depth;
layout(binding = 2, std430) readonly buffer Particles { Particle particles[]; };
layout(binding = 3, std430) buffer Image { uint image[]; };  // sum of brightness per texel
// Per texel: all particles, visible particles, visible particles that read the depth buffer, all that read it.
layout(binding = 4, std430) buffer Counts { uint counts[][4]; };

void draw(Particle particle) {
  precise vec3 at = project(particle.position);
  bool inside = at.z >= pc.eye.w && at.z <= pc.forward.w && all(greaterThanEqual(at.xy, vec2(0.0))) &&
                all(lessThan(at.xy, vec2(pc.width, pc.height)));
  if (!inside) return;
  uvec2 texel = uvec2(at.xy);
  precise float z = onepass_depth_of_distance(projection(), at.z);

  bool proved = TILE_FIRST && onepass_tile_certainly_visible(texel, FACTOR, z, REVERSED_Z);
  bool visible = proved || !onepass_is_nearer(texelFetch(depth, ivec2(texel), 0).r, z, REVERSED_Z);

  uint place = texel.y * pc.width + texel.x;
  if (visible) atomicAdd(image[place], particle.brightness);
  if (COUNT) {
    atomicAdd(counts[place][0], 1u);
    if (visible) atomicAdd(counts[place][1], 1u);
    if (visible && !proved) atomicAdd(counts[place][2], 1u);
    if (!proved) atomicAdd(counts[place][3], 1u);
  }
}

void main() {
  uint index = particle_index();
  if (index < pc.count) draw(particles[index]);
}
