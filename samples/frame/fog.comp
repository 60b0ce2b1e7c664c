// fog.comp: fog lit by the sun. One invocation owns a column behind a tile of the image and follows it slice by slice
// away from the eye, with one texel of the shadow map per slice. It ends behind the farthest depth of the tiles around
// it, which the pyramid of minima and maxima holds: nothing reads the slices behind.
#version 450
#extension GL_GOOGLE_include_directive : require
#define COUNTERS_BINDING 4
#include "frame_params.h"
layout(local_size_x = GROUP_SIZE, local_size_y = GROUP_SIZE) in;
#include "counting.glsl"
#include "lighting.glsl"
#include "fog.glsl"
#include "onepass/depth_query.glsl"

layout(set = 0, binding = 2) uniform sampler2DArray min_max;  // levels 1 and up; r: farthest
layout(std430, set = 0, binding = 3) writeonly buffer Fog { uvec2 fog[]; };
layout(push_constant) uniform Push { FogParams pc; };

// Extinction per metre: dust in the building, mist near the ground outside.
float density(vec3 at) {
  if (inside_building(at)) return 0.0011;
  return 0.0004 + 0.0011 * exp(-max(at.y + 0.3, 0.0) / 2.2);
}

// Light scattered per metre and unit of extinction.
vec3 scattered(vec3 at, vec3 direction) {
  vec3 sun = kSunColour * kSunLight * sun_visible_once(at) * phase(dot(direction, kToSun), 0.55);
  vec3 sky_light = inside_building(at) ? (inside_dark_room(at) ? vec3(0.06, 0.045, 0.03) : vec3(1.3, 1.2, 1.1))
                                       : vec3(9.0, 9.5, 11.5);
  return sun + sky_light;
}

// The farthest depth of the 3x3 tiles around a column, which the interpolation reads.
float farthest_around(ivec2 column, int eye) {
  uvec2 size = uvec2(frame.width, frame.height);
  uint level = onepass_highest_bit(frame.fog_tile);
  float farthest = 1.0;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      ivec2 tile = clamp(column + ivec2(x, y), ivec2(0), ivec2(fog_columns()) - 1);
      uvec2 cell = onepass_cell_of_texel(ONEPASS_COVERING, size, level, uvec2(tile) * frame.fog_tile);
      farthest = min(farthest, texelFetch(min_max, ivec3(ivec2(cell), eye), int(level) - 1).r);
    }
  }
  return farthest;
}

void main() {
  begin_counting();
  uvec2 column = gl_GlobalInvocationID.xy;
  uint eye = gl_GlobalInvocationID.z;
  uint steps = 0u;
  if (all(lessThan(column, fog_columns()))) {
    vec2 uv = min((vec2(column) + 0.5) * float(frame.fog_tile) / vec2(frame.width, frame.height), vec2(1.0));
    vec3 ray = ray_of(eye, uv);
    float stretch = length(ray);
    float last = FOG_FAR;
    if (pc.bounded != 0u) last = distance_of_depth(eye, farthest_around(ivec2(column), int(eye)));
    float passed = 1.0;
    vec3 light = vec3(0.0);
    float begin = 0.0;
    float jitter = random_at(ivec3(column, 3));
    for (uint slice = 0u; slice < FOG_SLICES; ++slice) {
      float end = fog_slice_end(float(slice));
      vec3 at = frame.eyes[eye].origin.xyz + mix(begin, end, jitter) * ray;
      float extinction = density(at);
      float through = exp(-extinction * (end - begin) * stretch);
      light += passed * (1.0 - through) * scattered(at, ray / stretch);
      passed *= through;
      fog[fog_word(eye, column, slice)] = uvec2(packHalf2x16(light.rg), packHalf2x16(vec2(light.b, passed)));
      ++steps;
      if (begin > last) break;  // the slice that holds the farthest depth, and the next one, are complete
      begin = end;
    }
  }
  if (sum_counts(steps, 0u, 0u)) atomicAdd(counters.fog_steps, s_sums[0]);
}
