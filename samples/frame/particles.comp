// particles.comp: dust and pollen that the sun lights. An invocation owns a particle: it computes the light, tests
// every texel of the particle against the depth, and adds to three integers per texel. Sums of integers do not depend
// on the order of the particles.
//
// The early test: the pyramid's cell on level 4 proves most visible particles visible; the others read the depth
// buffer.
#version 450
#extension GL_GOOGLE_include_directive : require
#define COUNTERS_BINDING 5
#include "frame_params.h"
layout(local_size_x = LIST_GROUP_SIZE) in;
#include "counting.glsl"
#include "lighting.glsl"

layout(set = 0, binding = 2) uniform sampler2DArray depth;
layout(set = 0, binding = 3) uniform sampler2DArray min_max;
layout(std430, set = 0, binding = 4) buffer Light { uint light[]; };
layout(push_constant) uniform Push { ParticleParams pc; };

int layer;
#define ONEPASS_LOAD_NEAREST(level, cell) texelFetch(min_max, ivec3(ivec2(cell), layer), int(level) - 1).g
#include "onepass/depth_query.glsl"

const uint kCellLevel = 4u;

struct Particle {
  vec3 at;
  float radius;  // metres
  vec3 colour;   // intensity per steradian towards the eye, for a unit of illuminance
};

Particle make_particle(uint index) {
  uint sequence = hash(index + 77u);
  vec3 place = vec3(random(sequence), random(sequence), random(sequence));
  vec3 drift = vec3(random(sequence), random(sequence), random(sequence)) - 0.5;
  Particle p;
  float wander = frame.time * 0.35 + 6.28 * place.x;
  if (index % 4u != 0u) {  // dust in the hall
    p.at =
        vec3(-6.0, 0.1, -13.0) + vec3(12.0, 4.8, 29.0) * fract(place + drift * vec3(0.004, 0.006, 0.002) * frame.time);
  } else {  // pollen and insects over the garden
    p.at = vec3(-16.0, 0.0, 14.0) + vec3(32.0, 5.0, 40.0) * vec3(place.x, place.y * place.y, place.z);
  }
  p.at += 0.25 * vec3(sin(wander), 0.6 * sin(1.7 * wander + place.y * 9.0), cos(1.3 * wander));
  float size = random(sequence);
  p.radius = 0.0004 + 0.0013 * size * size * size;
  p.colour = vec3(1.0, 0.93, 0.82);
  return p;
}

// Illuminance times the phase function: sun and lamps.
vec3 light_at(vec3 at, vec3 to_eye) {
  vec3 light = kSunColour * kSunLight * sun_visible_once(at) * phase(dot(-to_eye, kToSun), 0.62);
  if (inside_building(at)) {
    for (uint i = 0u; i < frame.lamp_count; ++i) {
      vec3 away = frame.lamps[i].xyz - at;
      float square = dot(away, away) + 0.05;
      if (square < 9.0 && inside_dark_room(frame.lamps[i].xyz) == inside_dark_room(at))
        light += kLampColour * frame.lamps[i].w / square * 0.12;
    }
  }
  return light;
}

void main() {
  begin_counting();
  uint index = gl_GlobalInvocationID.x;
  uint splats = 0u;
  uint proved = 0u;
  uint visible = 0u;
  for (uint eye = 0u; eye < frame.eye_count && index < frame.particle_count; ++eye) {
    layer = int(eye);
    Particle p = make_particle(index);
    vec3 away = frame.eyes[eye].origin.xyz - p.at;
    float distance = -dot(away, frame.eyes[eye].forward.xyz);
    if (distance < 0.4) continue;
    vec3 screen = screen_of(frame.eyes[eye].clip_of_world, p.at);
    vec2 center = screen.xy * vec2(frame.width, frame.height);
    float pixels = p.radius / (distance * length(frame.eyes[eye].right.xyz)) * 0.5 * float(frame.width);
    float radius = clamp(pixels, 0.75, 4.0);
    if (any(lessThan(center, vec2(-radius))) || any(greaterThan(center, vec2(frame.width, frame.height) + radius)))
      continue;
    // Light over the area that it is spread over.
    vec3 intensity = p.colour * light_at(p.at, normalize(away)) * 2.2 * pixels * pixels / (radius * radius);
    OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uvec2(frame.width, frame.height), ONEPASS_COVERING, true);
    pyramid.first_level = 1u;
    ivec2 first = ivec2(max(floor(center - radius), vec2(0.0)));
    ivec2 last = min(ivec2(floor(center + radius)), ivec2(frame.width, frame.height) - 1);
    for (int y = first.y; y <= last.y; ++y) {
      for (int x = first.x; x <= last.x; ++x) {
        float weight = 1.0 - smoothstep(radius - 0.75, radius + 0.5, length(vec2(x, y) + 0.5 - center));
        uvec3 add = uvec3(min(intensity * weight * PARTICLE_SCALE, vec3(1e7)));
        if (add == uvec3(0u)) continue;
        ++splats;
        bool seen = pc.cell_first != 0u && onepass_certainly_visible(pyramid, kCellLevel, uvec2(x, y), screen.z);
        if (seen) ++proved;
        seen = seen || onepass_is_nearer(screen.z, texelFetch(depth, ivec3(x, y, layer), 0).r, true);
        if (!seen) continue;
        ++visible;
        uint word = 3u * ((uint(layer) * frame.height + uint(y)) * frame.width + uint(x));
        atomicAdd(light[word], add.r);
        atomicAdd(light[word + 1u], add.g);
        atomicAdd(light[word + 2u], add.b);
      }
    }
  }
  if (sum_counts(splats, proved, visible)) {
    atomicAdd(counters.splats, s_sums[0]);
    atomicAdd(counters.proved, s_sums[1]);
    atomicAdd(counters.visible, s_sums[2]);
  }
}
