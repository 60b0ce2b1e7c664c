// reflection_denoise_images.glsl: onepass/reflection_denoise.glsl on the images and scratch memory of the kernels.

ONEPASS_PRIVATE uint denoise_slice;  // of the workgroup's tile

// Surfaces of mirrors and without reflection have no part in the filter.
OnepassSurface load_rough_surface(uint2 texel) {
  OnepassSurface surface = load_surface(texel, denoise_slice);
  surface.exists = kind_of(surface) == ONEPASS_REFLECTION_ROUGH;
  return surface;
}

bool load_rays(uint2 texel, out float4 value, out float distance) {
  uint4 words = load_traced(texel_index(texel, denoise_slice));
  OnepassLight light = unpack_light(words);
  value = light.value;
  distance = light.distance;
  return words.z != kNoRay;
}

void load_last(uint2 texel, out OnepassLight light, out float depth, out float3 normal) {
  uint index = 3u * texel_index(texel, denoise_slice);
  light = unpack_light(uint4(history[index], history[index + 1u]));
  uint2 words = history[index + 2u];
  depth = onepass_bits_float(words.x);
  normal = normalize(onepass_from_octahedron(unpackSnorm2x16(words.y)));
}

// Odd passes of the filter read `settled` and write `traced`, even ones the other way.
bool reads_settled() { return (pc.step & 0x55555555u) != 0u; }
uint4 load_words(uint2 texel) {
  uint index = texel_index(texel, denoise_slice);
  return reads_settled() ? settled[index] : load_traced(index);
}

// Coordinates of the grid: those of an image of its size.
float2 last_place(uint2 texel, OnepassSurface surface) {
  if (!HAS_MOTION) return onepass_project(state_matrices[denoise_slice].last_grid_from_world, surface.position).xy;
  float2 motion = texelFetch(motion_image, int3(int2(full_texel(texel)), int(denoise_slice)), 0).xy;
  motion *= float2(pc.size) / float2(STRIDE * pc.traced);
  return onepass_center_of(texel, pc.traced) + float2(pc.motion_x, pc.motion_y) * motion;
}

#define ONEPASS_LOAD_SURFACE(texel) load_rough_surface(texel)
#define ONEPASS_LOAD_RAYS(texel, value, distance) load_rays(texel, value, distance)
#define ONEPASS_LOAD_LAST(texel, light, depth, normal) load_last(texel, light, depth, normal)
#define ONEPASS_LOAD_LIGHT(texel) unpack_light(load_words(texel))
#define ONEPASS_LAST_PLACE(texel, surface) last_place(texel, surface)
#define ONEPASS_WORLD_FROM_CLIP state_matrices[denoise_slice].world_from_grid
#define ONEPASS_LAST_CLIP_FROM_WORLD state_matrices[denoise_slice].last_grid_from_world
#define ONEPASS_LAST_WORLD_FROM_CLIP state_matrices[denoise_slice].last_world_from_grid
#include "onepass/reflection_denoise.glsl"

OnepassDenoiser denoiser() {
  OnepassDenoiser denoiser = {pc.traced, pc.history_frames, pc.history_deviations, pc.reset != 0u, pc.filter_radius};
  return denoiser;
}
