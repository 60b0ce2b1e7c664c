// tile_reduction.comp: one coarser image of all slices in one dispatch; see shaders/onepass/tile_reduction.glsl for the
// algorithm and src/tile_reduction/kernels.cmake for the variants.
//
// COMPONENTS (1, 2 or 4) and STRATEGY are macros, because they choose types and what is in shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#if ONEPASS_SUBGROUP
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"

layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint GROUP_LOG2 = 8u;  // of constant 0
layout(constant_id = 2) const uint SIDE_LOG2 = 3u;   // factor / 2
layout(constant_id = 3) const uint READS_LOG2 = 2u;
layout(constant_id = 4) const uint REDUCTION = 1u;
layout(constant_id = 5) const uint SOURCE_CHANNELS = 1u;
layout(constant_id = 6) const uint TARGET_KIND = 0u;
layout(constant_id = 7) const bool TARGET_SRGB = false;
layout(constant_id = 8) const bool PARTIAL = true;  // some tiles are

#include "vulkan/target_texel.glsl"

layout(push_constant, std430) uniform Constants { TileReductionParams pc; };
layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) uniform writeonly image2DArray target;

#define ONEPASS_TILE_COMPONENTS COMPONENTS
#if COMPONENTS == 1
#define ONEPASS_ELEMENT float
#elif COMPONENTS == 2
#define ONEPASS_ELEMENT float2
#else
#define ONEPASS_ELEMENT float4
#endif
#define ONEPASS_TILE_STRATEGY STRATEGY
#define ONEPASS_TILE_GROUP_LOG2 GROUP_LOG2
#define ONEPASS_TILE_SIDE_LOG2 SIDE_LOG2
#define ONEPASS_TILE_READS_LOG2 READS_LOG2
#define ONEPASS_TILE_COUNT pc.tiles

ONEPASS_ELEMENT decode(float4 texel) {
#if COMPONENTS == 1
  return texel.r;
#elif COMPONENTS == 2
  return SOURCE_CHANNELS == 1u ? texel.rr : texel.rg;
#else
  return texel;
#endif
}

ONEPASS_ELEMENT onepass_reduce(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b) {
  if (REDUCTION == ONEPASS_MEAN) return a + b;
  if (REDUCTION == ONEPASS_MIN) return min(a, b);
  if (REDUCTION == ONEPASS_MAX) return max(a, b);
#if COMPONENTS == 2
  return float2(min(a.x, b.x), max(a.y, b.y));
#else
  return a;
#endif
}

bool onepass_takes_least(uint component) {
  return REDUCTION == ONEPASS_MIN || (REDUCTION == ONEPASS_MIN_MAX && component == 0u);
}

// 2x2 texels, one gather for each of one or two channels.
void load_four(uint2 texel, uint slice, out ONEPASS_ELEMENT a, out ONEPASS_ELEMENT b, out ONEPASS_ELEMENT c,
               out ONEPASS_ELEMENT d) {
  if (SOURCE_CHANNELS <= 2u) {
    float3 middle = float3(float2(texel + 1u) / float2(pc.size), slice);
    float4 r = textureGather(source, middle, 0);
    float4 g = SOURCE_CHANNELS == 2u ? textureGather(source, middle, 1) : float4(0.0, 0.0, 0.0, 0.0);
    a = decode(float4(r.w, g.w, 0.0, 1.0));
    b = decode(float4(r.z, g.z, 0.0, 1.0));
    c = decode(float4(r.x, g.x, 0.0, 1.0));
    d = decode(float4(r.y, g.y, 0.0, 1.0));
  } else {
    uint2 from = min(texel, pc.size - 1u);
    uint2 to = min(texel + 1u, pc.size - 1u);
    a = decode(texelFetch(source, int3(from, slice), 0));
    b = decode(texelFetch(source, int3(to.x, from.y, slice), 0));
    c = decode(texelFetch(source, int3(from.x, to.y, slice), 0));
    d = decode(texelFetch(source, int3(to, slice), 0));
  }
}

ONEPASS_ELEMENT onepass_load_block(uint2 texel, uint slice) {
  ONEPASS_ELEMENT a, b, c, d;
  load_four(texel, slice, a, b, c, d);
  if (REDUCTION == ONEPASS_MEAN && PARTIAL) {
    const ONEPASS_ELEMENT nothing = ONEPASS_ELEMENT(0.0);
    bool left = texel.x < pc.size.x;
    bool right = texel.x + 1u < pc.size.x;
    bool upper = texel.y < pc.size.y;
    bool lower = texel.y + 1u < pc.size.y;
    a = left && upper ? a : nothing;
    b = right && upper ? b : nothing;
    c = left && lower ? c : nothing;
    d = right && lower ? d : nothing;
  }
  ONEPASS_ELEMENT value = onepass_reduce(onepass_reduce(a, b), onepass_reduce(c, d));
  // A power of two: exact, and sums of many blocks do not overflow.
  if (REDUCTION == ONEPASS_MEAN) value *= 1.0 / float(4u << (2u * SIDE_LOG2));
  return value;
}

void onepass_store_tile(uint2 tile, uint slice, ONEPASS_ELEMENT value) {
  if (REDUCTION == ONEPASS_MEAN && PARTIAL) {
    if (tile.x + 1u == pc.tiles.x) value *= pc.last_scale.x;
    if (tile.y + 1u == pc.tiles.y) value *= pc.last_scale.y;
  }
#if COMPONENTS == 1
  float4 texel = float4(value, 0.0, 0.0, 1.0);
#elif COMPONENTS == 2
  float4 texel = float4(value, 0.0, 1.0);
#else
  float4 texel = value;
#endif
  imageStore(target, int3(tile, slice), encode_target(texel));
}

#include "onepass/tile_reduction.glsl"
void main() { onepass_tile_reduction(gl_WorkGroupID); }
