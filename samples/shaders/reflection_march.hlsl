// reflection_march.hlsl: one ray of each texel's reflection, and the light that it brings. docs/shaders/reflection.md
struct Constants {
  float4x4 clip_from_world, world_from_clip;
  uint width, height, last_level, number;  // of the pyramid's coarsest level; of the frame
};
[[vk::binding(0)]] cbuffer Frame { Constants frame; };
[[vk::binding(1)]] Texture2D<float4> nearest;      // depth, and levels of nearest depths; 1 is near
[[vk::binding(2)]] Texture2D<float4> normals;      // xyz in the world, w: roughness
[[vk::binding(3)]] Texture2D<float4> colors;       // the lit frame
[[vk::binding(4)]] RWTexture2D<float4> radiance;   // alpha: confidence
[[vk::binding(5)]] RWTexture2D<float4> distances;  // of hits; 0: none, -1: no ray

#define ONEPASS_LOAD_NEAREST(level, cell) nearest.Load(int3(cell, level)).r
#define ONEPASS_LOAD_NORMAL(texel) normals.Load(int3(texel, 0)).xyz
#define ONEPASS_CLIP_FROM_WORLD frame.clip_from_world
#define ONEPASS_WORLD_FROM_CLIP frame.world_from_clip
#include "onepass/reflection_march.hlsl"

// Two random numbers of a texel and frame. Blue noise is better: its errors are filtered more easily.
float2 random_of(uint2 texel) {
  uint2 v = (texel * 2u + frame.number * uint2(40503u, 62233u)) * 1664525u + 1013904223u;
  v.x += v.y * 1664525u;
  v.y += v.x * 1664525u;
  v ^= v >> 16u;
  v.x += v.y * 1664525u;
  v.y += v.x * 1664525u;
  return float2(v >> 8u) / 16777216.0;
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint2 texel = id.xy;
  uint2 size = uint2(frame.width, frame.height);
  if (texel.x >= size.x || texel.y >= size.y) return;
  float4 normal = normals.Load(int3(texel, 0));
  OnepassSurface surface = onepass_make_surface(frame.world_from_clip, onepass_center_of(texel, size),
                                                nearest.Load(int3(texel, 0)).r, true, normal.xyz, normal.w);
  float4 light = float4(0.0, 0.0, 0.0, 0.0);
  float distance = -1.0;
  if (surface.exists && surface.roughness <= 0.6) {
    OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(size, ONEPASS_COVERING, true);
    pyramid.last_level = frame.last_level;
    float3 direction = onepass_mirror_direction(surface);
    if (surface.roughness > 0.0) direction = onepass_reflection_direction(surface, random_of(texel));
    OnepassReflectionRules rules = {0.0, 0.02, 256u};
    OnepassReflectionHit hit = onepass_reflection_trace(pyramid, texel, surface, direction, rules);
    distance = hit.distance;
    light.a = hit.distance > 0.0 ? onepass_border_confidence(hit.at, 0.05) : 0.0;
    if (light.a > 0.0) light.rgb = light.a * colors.Load(int3(min(uint2(hit.at * float2(size)), size - 1u), 0)).rgb;
  }
  radiance[texel] = light;
  distances[texel] = float4(distance, 0.0, 0.0, 0.0);
}
