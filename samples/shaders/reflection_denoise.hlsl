// reflection_denoise.hlsl: a step of the denoiser: STEP 0: over frames; 1, 2, 4: over texels.
// docs/shaders/reflection.md
#include "onepass/reflection_surface.hlsl"
struct Constants {
  float4x4 world_from_clip, last_clip_from_world, last_world_from_clip;
  uint width, height, reset, reserved;
};
struct Texel {
  OnepassLight light;
  float4 surface;  // normal, depth
};
[[vk::binding(0)]] cbuffer Frame { Constants frame; };
[[vk::binding(1)]] Texture2D<float4> depths;        // 1 is near
[[vk::binding(2)]] Texture2D<float4> normals;       // xyz in the world, w: roughness
[[vk::binding(3)]] Texture2D<float4> radiance;      // of this frame's rays; alpha: confidence
[[vk::binding(4)]] Texture2D<float4> distances;     // of their hits; 0: none, -1: no ray
[[vk::binding(5)]] StructuredBuffer<Texel> before;  // STEP 0: of the last frame's step 0
[[vk::binding(6)]] RWStructuredBuffer<Texel> after;
uint index_of(uint2 texel) { return texel.y * frame.width + texel.x; }

OnepassSurface load_surface(uint2 texel) {
  float4 normal = normals.Load(int3(texel, 0));
  float2 at = onepass_center_of(texel, uint2(frame.width, frame.height));
  OnepassSurface surface =
      onepass_make_surface(frame.world_from_clip, at, depths.Load(int3(texel, 0)).r, true, normal.xyz, normal.w);
  surface.exists = surface.exists && surface.roughness > 0.05 && surface.roughness <= 0.6;
  return surface;
}
bool load_rays(uint2 texel, out float4 value, out float distance) {
  value = radiance.Load(int3(texel, 0));
  distance = distances.Load(int3(texel, 0)).r;
  return distance >= 0.0;
}
void load_last(uint2 texel, out OnepassLight light, out float depth, out float3 normal) {
  light = before[index_of(texel)].light;
  depth = before[index_of(texel)].surface.w;
  normal = before[index_of(texel)].surface.xyz;
}
#define ONEPASS_LOAD_SURFACE(texel) load_surface(texel)
#define ONEPASS_LOAD_RAYS(texel, value, distance) load_rays(texel, value, distance)
#define ONEPASS_LOAD_LAST(texel, light, depth, normal) load_last(texel, light, depth, normal)
#define ONEPASS_LOAD_LIGHT(texel) before[index_of(texel)].light
#define ONEPASS_LAST_PLACE(texel, surface) onepass_project(frame.last_clip_from_world, surface.position).xy
#define ONEPASS_WORLD_FROM_CLIP frame.world_from_clip
#define ONEPASS_LAST_CLIP_FROM_WORLD frame.last_clip_from_world
#define ONEPASS_LAST_WORLD_FROM_CLIP frame.last_world_from_clip
#include "onepass/reflection_denoise.hlsl"

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint lane : SV_GroupIndex) {
  uint2 texel = id.xy;
  OnepassDenoiser denoiser = {uint2(frame.width, frame.height), 32u, 1.0, frame.reset != 0u, 0.5};
  OnepassLight light = onepass_no_light();
  if (STEP == 0) light = onepass_denoise_over_frames(denoiser, group.xy, lane);
  if (texel.x >= frame.width || texel.y >= frame.height) return;
  OnepassSurface surface = load_surface(texel);
  if (STEP != 0) light = onepass_denoise_over_texels(denoiser, texel, surface, ONEPASS_LOAD_LIGHT(texel), uint(STEP));
  Texel stored = {light, float4(surface.normal, surface.depth)};
  after[id.y * frame.width + id.x] = stored;
}
