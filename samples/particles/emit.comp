// emit.comp: places particles in random order, such that a given fraction of them is visible.
//
// Along the ray of a texel whose surface is at distance 1:
//     eye ------------------[ visible ]|[ hidden ]----->      both up to `band` away from the surface, and at
//     0                  1 - band      1      1 + band        least CLOSEST, so that rounding changes no result
//
// A random number first decides whether the particle is visible. The particle then joins a swarm, a horizontal spiral,
// at a position with this visibility. If TRIALS trials find no such position, the particle gets a random distance
// within `band` on the ray of its texel. Towers therefore hide parts of swarms, and the fraction is still met.
//
// An invocation owns a particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/depth_query.glsl"
#include "camera.glsl"
#include "particle.glsl"

layout(binding = 0) uniform sampler2D depth;
layout(binding = 1, std430) writeonly buffer Particles { Particle particles[]; };

const float CLOSEST = 0.004;  // least distance to the surface, as a fraction of the surface's distance
const uint SWARMS = 14u;
const int TRIALS = 8;

// A random position in a swarm, or anywhere: x and y in the image, in texels, and the distance of the swarm there.
vec3 draw_place(inout uint sequence) {
  vec2 size = vec2(pc.width, pc.height);
  vec2 anywhere = vec2(random(sequence), random(sequence)) * size;
  uint swarm = hash(uint(random(sequence) * float(SWARMS)) + 1u);
  vec2 center = vec2(random(swarm), 0.15 + 0.7 * random(swarm)) * size;
  float radius = (0.12 + 0.2 * random(swarm)) * size.y;
  float altitude = mix(0.5, 7.0, random(swarm));
  float from_center = 0.03 + 0.97 * random(sequence);
  float arm = floor(2.0 * random(sequence)) * 3.14159265;
  float spread = 0.9 * (random(sequence) + random(sequence) - 1.0);
  float angle = arm + 2.6 * log(from_center) + 6.28318531 * random(swarm) + spread;
  vec2 place = center + radius * from_center * vec2(cos(angle), 0.55 * sin(angle));
  bool outside = any(lessThan(place, vec2(0.0))) || any(greaterThanEqual(place, size));
  if (outside || random(sequence) < 0.15) place = anywhere;
  // Away from the texel's edges: the projected particle must not fall into the next texel.
  vec2 texel = min(floor(place), size - 1.0);
  place = texel + clamp(place - texel, 0.1, 0.9);
  altitude += 0.2 * random(sequence);
  return vec3(place, (altitude - pc.eye.y) / ray_through(place).y);
}

float surface_at(vec2 place) { return onepass_distance_of_depth(projection(), texelFetch(depth, ivec2(place), 0).r); }

void main() {
  uint index = particle_index();
  if (index >= pc.count) return;
  uint sequence = hash(index ^ 0xA511E9B3u);
  bool in_front = random(sequence) < pc.visible;
  float band = max(pc.band, CLOSEST);

  vec3 place;
  bool found = false;
  for (int i = 0; i < TRIALS; ++i) {
    vec3 trial = draw_place(sequence);
    float away = (in_front ? 1.0 : -1.0) * (1.0 - trial.z / surface_at(trial.xy));
    if (!found) place = trial;
    found = found || (away >= CLOSEST && away <= band);
  }
  if (!found) {
    float away = mix(CLOSEST, band, random(sequence));
    place.z = surface_at(place.xy) * (in_front ? 1.0 - away : 1.0 + away);
  }

  Particle particle;
  particle.position = pc.eye.xyz + max(place.z, 1.01 * pc.eye.w) * ray_through(place.xy);
  particle.brightness = 16u + uint(random(sequence) * 112.0);
  particles[index] = particle;
}
