// reflection_ray.glsl: the ray march of onepass/reflection_march.glsl on the images of the kernels, and the random
// numbers of rays.

ONEPASS_PRIVATE uint march_slice;  // of the invocation's ray

float load_nearest(uint level, uint2 cell) {
  int3 at = int3(int2(cell), int(march_slice));
  if (level == 0u) return texelFetch(depth_image, at, 0).x;
  return texelFetch(pyramid_image, at, int(level) - 1)[NEAREST_CHANNEL];
}
#define ONEPASS_LOAD_NEAREST(level, cell) load_nearest(level, cell)
float2 load_range(uint level, uint2 cell) {
  int3 at = int3(int2(cell), int(march_slice));
  if (level == 0u) return texelFetch(depth_image, at, 0).xx;
  float4 range = texelFetch(pyramid_image, at, int(level) - 1);
  return float2(range[NEAREST_CHANNEL], range[1u - NEAREST_CHANNEL]);
}
#define ONEPASS_LOAD_RANGE(level, cell) load_range(level, cell)
#define ONEPASS_HAS_RANGE HAS_RANGE
#define ONEPASS_LOAD_NORMAL(texel) load_normal(texel, march_slice)
#define ONEPASS_CLIP_FROM_WORLD state_matrices[march_slice].clip_from_world
#define ONEPASS_WORLD_FROM_CLIP state_matrices[march_slice].world_from_clip
#include "onepass/reflection_march.glsl"

// Two numbers in [0, 1): blue noise over the texels, a sequence of low discrepancy (the plastic number's) over rays and
// frames.
float2 noise_of(uint2 texel, uint number) {
  uint2 at = texel % ONEPASS_REFLECTION_NOISE;
  uint index = at.y * ONEPASS_REFLECTION_NOISE + at.x;
  uint word = noise_words[index / 4u][index % 4u];
  uint2 value = uint2(word << 16u, word & 0xFFFF0000u) + uint2(0x8000u, 0x8000u);
  value += number * uint2(3242174889u, 2447445414u);
  return float2(value >> 8u) * (1.0 / 16777216.0);
}

float3 ray_direction(OnepassSurface surface, uint2 texel, uint number) {
  if (kind_of(surface) == ONEPASS_REFLECTION_MIRROR) return onepass_mirror_direction(surface);
  return onepass_reflection_direction(surface, noise_of(texel, number));
}

OnepassReflectionHit trace(uint2 texel, OnepassSurface surface, float3 direction) {
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(pc.size, FOOTPRINT, REVERSED_DEPTH);
  pyramid.last_level = pc.last_level;
  OnepassReflectionRules rules = {pc.thickness, pc.relative_thickness, pc.max_steps};
  return onepass_reflection_trace(pyramid, full_texel(texel), surface, direction, rules);
}
