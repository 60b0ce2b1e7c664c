// reflect.comp: screen-space reflections. One invocation owns a texel: from a surface that reflects it
// marches the mirrored ray through the pyramid of nearest depths, and fetches the light where the ray hits from the mip
// chain of the lit frame: the rougher the surface and the farther the hit, the coarser the level. A ray without a hit
// sees the sky, or a wall of the hall. After Y. Uludag, "Hi-Z Screen-Space Cone-Traced Reflections", GPU Pro 5, 2014.
#version 450
#extension GL_GOOGLE_include_directive : require
#define COUNTERS_BINDING 8
#include "frame_params.h"
layout(local_size_x = GROUP_SIZE, local_size_y = GROUP_SIZE) in;
#include "counting.glsl"
#include "lighting.glsl"

layout(set = 0, binding = 2) uniform sampler2DArray depth;
layout(set = 0, binding = 3) uniform sampler2DArray min_max;  // levels 1 and up; g: nearest
layout(set = 0, binding = 4) uniform sampler2DArray lit;
layout(set = 0, binding = 5) uniform sampler2DArray lit_levels;  // levels 1 and up
layout(set = 0, binding = 6) uniform sampler2DArray mirror;
layout(set = 0, binding = 7, rgba16f) uniform writeonly image2DArray reflected;
layout(push_constant) uniform Push { ReflectParams pc; };

int layer;
float load_nearest(uint level, uvec2 cell) {
  ivec3 at = ivec3(ivec2(cell), layer);
  return level == 0u ? texelFetch(depth, at, 0).r : texelFetch(min_max, at, int(level) - 1).g;
}
#define ONEPASS_LOAD_NEAREST(level, cell) load_nearest(level, cell)
#include "onepass/depth_query.glsl"

const float kLongest = 90.0;    // metres
const float kBrightest = 90.0;  // limits sparkles
// Metres that surfaces are assumed to extend away from the eye, plus a share of the distance.
const float kThickness = 0.9;

vec3 load_lit(vec2 uv, float level) {
  vec3 fine = textureLod(lit, vec3(uv, layer), 0.0).rgb;
  if (level <= 0.0) return fine;
  vec3 coarse = textureLod(lit_levels, vec3(uv, layer), max(level - 1.0, 0.0)).rgb;
  return level < 1.0 ? mix(fine, coarse, level) : coarse;
}

// The light that a ray meets which hits nothing on the screen.
vec3 surroundings(vec3 from, vec3 direction) {
  if (!inside_building(from)) return min(sky(direction, false), vec3(kBrightest));
  vec3 wall = vec3(direction.x > 0.0 ? HALL_HALF_WIDTH : -HALL_HALF_WIDTH, HALL_HEIGHT,
                   inside_dark_room(from) ? DOOR_Z : HALL_FRONT);
  vec3 times = (wall - from) / vec3(direction.x, max(direction.y, 1e-4), max(direction.z, 1e-4));
  float time = min(min(times.x, times.y), times.z);
  vec3 at = from + time * direction;
  bool out_of_front = time == times.z && !inside_dark_room(from);
  if (out_of_front) return min(sky(direction, false), vec3(kBrightest));
  vec3 normal = time == times.y ? vec3(0.0, -1.0, 0.0) : vec3(-sign(direction.x), 0.0, 0.0);
  return vec3(0.30, 0.24, 0.18) * (ambient_light(at + 0.05 * normal, normal) + lamp_light(at + 0.05 * normal, normal));
}

struct Trace {
  OnepassRay ray;
  uint steps;
  vec3 hit;       // coordinates and depth
  bool accepted;  // hit, within the thickness of the surface
};

Trace trace(uint eye, vec3 from, vec3 direction) {
  // The ray ends before the near plane.
  float forward = dot(direction, frame.eyes[eye].forward.xyz);
  float start = dot(from - frame.eyes[eye].origin.xyz, frame.eyes[eye].forward.xyz);
  float longest = forward < 0.0 ? min(kLongest, (start - 2.0 * near_plane(eye)) / -forward) : kLongest;
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uvec2(frame.width, frame.height), ONEPASS_COVERING, true);
  if (pc.march == MARCH_LINEAR) pyramid.last_level = 0u;
  Trace result;
  result.ray = onepass_ray_begin(pyramid, screen_of(eye, from), screen_of(eye, from + longest * direction));
  result.steps = 0u;
  uint most = 2u * (frame.width + frame.height);
  for (; result.steps < most && result.ray.state == ONEPASS_RAY_MARCHING; ++result.steps) {
    onepass_ray_step(pyramid, result.ray);
  }
  result.hit = onepass_ray_point(pyramid, result.ray);
  float stored = texelFetch(depth, ivec3(ivec2(result.ray.texel), layer), 0).r;
  float behind = distance_of_depth(eye, result.hit.z) - distance_of_depth(eye, stored);
  result.accepted = result.ray.state == ONEPASS_RAY_HIT && stored > 0.0 &&
                    behind < kThickness + 0.03 * distance_of_depth(eye, stored);
  return result;
}

void main() {
  begin_counting();
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  uint eye = gl_GlobalInvocationID.z;
  layer = int(eye);
  uint rays = 0u;
  uint hits = 0u;
  uint steps = 0u;
  if (at.x < int(frame.width) && at.y < int(frame.height)) {
    vec3 light = texelFetch(lit, ivec3(at, layer), 0).rgb;
    vec4 surface = texelFetch(mirror, ivec3(at, layer), 0);
    if (surface.w > 0.0 && pc.march != MARCH_OFF) {
      vec2 uv = (vec2(at) + 0.5) / vec2(frame.width, frame.height);
      float distance = distance_of_depth(eye, texelFetch(depth, ivec3(at, layer), 0).r);
      vec3 normal = vec3(surface.x, sqrt(max(1.0 - dot(surface.xy, surface.xy), 0.0)), surface.y);
      vec3 direction = reflect(normalize(ray_of(eye, uv)), normal);
      direction.y = max(direction.y, 0.01);
      direction = normalize(direction);
      // Starts in front of the surface that it leaves: above every point of the surface that this texel covers.
      float texel = 2.0 * distance * length(frame.eyes[eye].right.xyz) / float(frame.width);
      vec3 from = world_at(eye, uv, distance * 0.998) + (texel + 0.0005 * distance) * vec3(0.0, 1.0, 0.0);
      Trace traced = trace(eye, from, direction);
      rays = 1u;
      steps = traced.steps;
      vec3 seen = surroundings(from, direction);
      if (traced.accepted) {
        hits = 1u;
        vec3 met = world_at(eye, traced.hit.xy, distance_of_depth(eye, traced.hit.z));
        float cone = 2.0 * surface.z * surface.z * length(met - from) /
                     (length(met - frame.eyes[eye].origin.xyz) * length(frame.eyes[eye].right.xyz) * 2.0) *
                     float(frame.width);
        vec3 found = min(load_lit(traced.hit.xy, log2(1.0 + 2.0 * cone)), vec3(kBrightest));
        vec2 border = smoothstep(vec2(0.0), vec2(0.06), min(traced.hit.xy, 1.0 - traced.hit.xy));
        seen = mix(seen, found, border.x * border.y);
      }
      light += surface.w * seen;
    }
    imageStore(reflected, ivec3(at, layer), vec4(light, 1.0));
  }
  if (sum_counts(rays, hits, steps)) {
    atomicAdd(counters.rays, s_sums[0]);
    atomicAdd(counters.hits, s_sums[1]);
    uint before = atomicAdd(counters.steps[0], s_sums[2]);
    if (before + s_sums[2] < before) atomicAdd(counters.steps[1], 1u);
  }
}
