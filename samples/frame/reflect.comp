// reflect.comp: the light of the surfaces with what they reflect of the screen. Where the screen shows what a surface
// reflects, its light replaces that of the surroundings: the surface's light has the latter already (surface.glsl).
#version 450
#extension GL_GOOGLE_include_directive : require
#define COUNTERS_BINDING 8
#include "frame_params.h"
layout(local_size_x = GROUP_SIZE, local_size_y = GROUP_SIZE) in;
#include "counting.glsl"
#include "surroundings.glsl"

layout(set = 0, binding = 2) uniform sampler2DArray depth;
layout(set = 0, binding = 3) uniform sampler2DArray lit;
layout(set = 0, binding = 4) uniform sampler2DArray normals;  // w: roughness
layout(set = 0, binding = 5) uniform sampler2DArray reflectances;
layout(set = 0, binding = 6) uniform sampler2DArray reflections;  // radiance times confidence, confidence
layout(set = 0, binding = 7, rgba16f) uniform writeonly image2DArray reflected;
layout(push_constant) uniform Push { ReflectParams pc; };

// The reflection of the screen in place of that of the surroundings.
vec3 difference(uint eye, ivec3 texel, vec4 surface, vec4 seen) {
  vec2 uv = (vec2(texel.xy) + 0.5) / vec2(frame.width, frame.height);
  vec3 world = world_at(eye, uv, distance_of_depth(eye, texelFetch(depth, texel, 0).r));
  vec3 view = -normalize(ray_of(eye, uv));
  vec3 normal = normalize(surface.xyz);
  vec3 share = reflected_share(texelFetch(reflectances, texel, 0).rgb, surface.w, dot(normal, view));
  return share * (min(seen.rgb, vec3(kBrightest)) - seen.a * surroundings(world, reflect(-view, normal), surface.w));
}

void main() {
  begin_counting();
  uint eye = gl_GlobalInvocationID.z;
  ivec3 texel = ivec3(gl_GlobalInvocationID);
  uint reflecting = 0u;
  uint confidence = 0u;
  if (texel.x < int(frame.width) && texel.y < int(frame.height)) {
    vec3 light = texelFetch(lit, texel, 0).rgb;
    vec4 surface = texelFetch(normals, texel, 0);
    if (surface.w <= MOST_ROUGHNESS && pc.reflections != 0u) {
      vec4 seen = texelFetch(reflections, texel, 0);
      reflecting = 1u;
      confidence = uint(16.0 * seen.a + 0.5);
      if (seen.a > 0.0) light = max(light + difference(eye, texel, surface, seen), vec3(0.0));
    }
    imageStore(reflected, texel, vec4(light, 1.0));
  }
  if (sum_counts(reflecting, confidence, 0u)) {
    atomicAdd(counters.reflecting, s_sums[0]);
    atomicAdd(counters.confidence, s_sums[1]);
  }
}
