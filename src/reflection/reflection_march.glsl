// reflection_march.glsl: the rays of the list. An invocation owns a ray; the rays of a texel are neighbours in a
// workgroup, and their first adds them up in order. A ray that hits the screen brings the colour there, with a
// confidence that fades at the borders; the rest of its light comes from the environment or is the fallback colour.
#include "reflection/reflection_common.glsl"
#include "reflection/reflection_environment.glsl"
#include "reflection/reflection_ray.glsl"

groupshared float4 s_values[MARCH_GROUP];
groupshared float s_distances[MARCH_GROUP];

// Linear interpolation of an image's colours; NaN counts as 0, and colours are clamped to those of halves.
float3 color_tap(int2 texel, uint slice) {
  int2 at = clamp(texel, int2(0, 0), int2(pc.size) - 1);
  return onepass_storable4(texelFetch(color_image, int3(at, int(slice)), 0)).rgb;
}
float3 color_at(float2 at, uint slice) {
  float2 place = clamp(at, 0.0, 1.0) * float2(pc.size) - 0.5;
  int2 first = int2(floor(place));
  float2 part = place - float2(first);
  float3 top = mix(color_tap(first, slice), color_tap(first + int2(1, 0), slice), part.x);
  float3 bottom = mix(color_tap(first + int2(0, 1), slice), color_tap(first + int2(1, 1), slice), part.x);
  return mix(top, bottom, part.y);
}

// Where the last frame's colour image has what is at a coordinate now.
float2 color_place(float2 at, float3 world, uint slice) {
  if (!COLOR_OF_LAST_FRAME) return at;
  if (!HAS_MOTION) return onepass_project(state_matrices[slice].last_clip_from_world, world).xy;
  int2 texel = clamp(int2(at * float2(pc.size)), int2(0, 0), int2(pc.size) - 1);
  return at + float2(pc.motion_x, pc.motion_y) * texelFetch(motion_image, int3(texel, int(slice)), 0).xy;
}

// Radiance and confidence of a ray, and the distance of its hit.
float4 light_of(uint2 texel, uint slice, OnepassSurface surface, uint number, out float distance) {
  float3 direction = ray_direction(surface, texel, number);
  OnepassReflectionHit hit = trace(texel, surface, direction);
  distance = hit.distance;
  float confidence = 0.0;
  float3 seen = float3(0.0, 0.0, 0.0);
  if (hit.distance > 0.0) {
    float2 at = color_place(hit.at, surface.position + hit.distance * direction, slice);
    confidence = onepass_border_confidence(at, pc.border_fade);
    if (confidence > 0.0) seen = color_at(at, slice);
  }
  return float4(mix(light_without_hit(direction), seen, confidence), confidence);
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint rays = max(RAYS, 1u);
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint entry = (group * MARCH_GROUP + lane) / rays;
  bool listed = entry < state_header[ONEPASS_REFLECTION_RAYS];
  uint index = 0u;
  if (listed) index = traced[4u * entry + 3u];
  uint2 texel = uint2(index % pc.traced.x, index / pc.traced.x % pc.traced.y);
  march_slice = index / (pc.traced.x * pc.traced.y);
  OnepassSurface surface = load_surface(texel, march_slice);
  uint ray = lane % rays;
  bool mirror = kind_of(surface) == ONEPASS_REFLECTION_MIRROR;
  float4 value = float4(0.0, 0.0, 0.0, 0.0);
  float distance = 0.0;
  if (listed && (ray == 0u || !mirror)) {
    // Consecutive numbers for the rays of a texel, which has one in four frames where a quad shares a ray.
    uint number = RAYS == 0u ? pc.frame / 4u : pc.frame * rays + ray;
    value = light_of(texel, march_slice, surface, number, distance);
  }
  s_values[lane] = value;
  s_distances[lane] = distance;
  barrier();  // all rays of the workgroup's texels are there
  if (!listed || ray != 0u) return;
  uint count = mirror ? 1u : rays;
  float4 sum = float4(0.0, 0.0, 0.0, 0.0);
  float distances = 0.0;
  float hits = 0.0;
  for (uint i = 0u; i < count; ++i) {
    sum += s_values[lane + i];
    distances += s_distances[lane + i];
    hits += s_distances[lane + i] > 0.0 ? 1.0 : 0.0;
  }
  uint2 words = packed(sum / float(count));
  traced[4u * index] = words.x;
  traced[4u * index + 1u] = words.y;
  traced[4u * index + 2u] = packHalf2x16(float2(0.0, onepass_storable(distances / max(hits, 1.0))));
}
