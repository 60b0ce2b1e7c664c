// reflection_denoise.comp: a step of the denoiser: STEP 0: over frames; 1, 2, 4: over texels.
// docs/shaders/reflection.md
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/reflection_surface.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std140) uniform Frame {
  mat4 world_from_clip, last_clip_from_world, last_world_from_clip;
  uint width, height, reset, reserved;
} frame;
layout(binding = 1) uniform sampler2D depths;     // 1 is near
layout(binding = 2) uniform sampler2D normals;    // xyz in the world, w: roughness
layout(binding = 3) uniform sampler2D radiance;   // of this frame's rays; alpha: confidence
layout(binding = 4) uniform sampler2D distances;  // of their hits; 0: none, -1: no ray
struct Texel {
  OnepassLight light;
  vec4 surface;  // normal, depth
};
layout(binding = 5, std430) readonly buffer Before { Texel before[]; };  // STEP 0: of the last frame's step 0
layout(binding = 6, std430) writeonly buffer After { Texel after[]; };
uint index_of(uvec2 texel) { return texel.y * frame.width + texel.x; }

OnepassSurface load_surface(uvec2 texel) {
  vec4 normal = texelFetch(normals, ivec2(texel), 0);
  vec2 at = onepass_center_of(texel, uvec2(frame.width, frame.height));
  OnepassSurface surface = onepass_make_surface(frame.world_from_clip, at, texelFetch(depths, ivec2(texel), 0).r, true,
                                                normal.xyz, normal.w);
  surface.exists = surface.exists && surface.roughness > 0.05 && surface.roughness <= 0.6;
  return surface;
}
bool load_rays(uvec2 texel, out vec4 value, out float distance) {
  value = texelFetch(radiance, ivec2(texel), 0);
  distance = texelFetch(distances, ivec2(texel), 0).r;
  return distance >= 0.0;
}
void load_last(uvec2 texel, out OnepassLight light, out float depth, out vec3 normal) {
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
#include "onepass/reflection_denoise.glsl"

void main() {
  uvec2 texel = gl_GlobalInvocationID.xy;
  OnepassDenoiser denoiser = OnepassDenoiser(uvec2(frame.width, frame.height), 32u, 1.0, frame.reset != 0u, 0.5);
  OnepassLight light = onepass_no_light();
  if (STEP == 0) light = onepass_denoise_over_frames(denoiser, gl_WorkGroupID.xy, gl_LocalInvocationIndex);
  if (texel.x >= frame.width || texel.y >= frame.height) return;
  OnepassSurface surface = load_surface(texel);
  if (STEP != 0) light = onepass_denoise_over_texels(denoiser, texel, surface, ONEPASS_LOAD_LIGHT(texel), uint(STEP));
  after[index_of(texel)] = Texel(light, vec4(surface.normal, surface.depth));
}
