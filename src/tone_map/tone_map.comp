// tone_map.comp: maps every texel of all slices in one dispatch, with the functions of shaders/onepass/tone_map.glsl.
//
// A workgroup owns a column of PIXELS tiles, 16 texels wide and GROUP / 16 high; an invocation owns one texel of each
// tile and reads all before it maps the first. 32 consecutive invocations own 8x4 texels, which tiled images store near
// each other.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/tone_map_params.h"

layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint GROUP = 256u;  // the same number as constant 0
layout(constant_id = 2) const uint PIXELS = 4u;
layout(constant_id = 3) const uint MIX = 0u;
layout(constant_id = 4) const uint MATRIX_MASK = 0u;
layout(constant_id = 5) const uint CURVE_MASK = 0u;
layout(constant_id = 6) const uint ROOT_MASK = 0u;
layout(constant_id = 7) const uint CURVE_COUNT = 1u;
layout(constant_id = 8) const bool KEEPS_HUE = false;
layout(constant_id = 9) const bool GUARD_RAIL = false;
layout(constant_id = 10) const uint SOURCE_CHANNELS = 4u;
layout(constant_id = 11) const uint TARGET_CHANNELS = 4u;
layout(constant_id = 12) const uint TARGET_KIND = 0u;
layout(constant_id = 13) const bool DITHER = false;
layout(constant_id = 14) const bool FINE = false;
layout(constant_id = 15) const uint FOOT_MASK = 0u;
layout(constant_id = 16) const uint SHIFTS = 0u;
layout(constant_id = 17) const uint OOTF_STAGE = 4u;
layout(constant_id = 18) const bool LOCAL = false;

const bool TARGET_SRGB = false;  // curves include the transfer
#include "vulkan/target_texel.glsl"

layout(push_constant, std430) uniform Constants { ToneMapParams pc; };
layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) uniform writeonly image2DArray target;
layout(binding = 2, std140) uniform Program { ToneMapProgram program; };
layout(binding = 3, std430) readonly buffer Cubics { float4 cubics[]; };
layout(binding = 4, std430) readonly buffer Exposure { float exposures[]; };
layout(binding = 5, std430) readonly buffer Nodes { float2 nodes[]; };

#define ONEPASS_TONE_PROGRAM program
#define ONEPASS_TONE_CUBICS(i) cubics[i]
#define ONEPASS_TONE_MIX MIX
#define ONEPASS_TONE_MATRIX_MASK MATRIX_MASK
#define ONEPASS_TONE_CURVE_MASK CURVE_MASK
#define ONEPASS_TONE_ROOT_MASK ROOT_MASK
#define ONEPASS_TONE_FOOT_MASK FOOT_MASK
#define ONEPASS_TONE_SHIFTS SHIFTS
#define ONEPASS_TONE_CURVE_COUNT CURVE_COUNT
#define ONEPASS_TONE_FINE FINE
#define ONEPASS_TONE_KEEPS_HUE KEEPS_HUE
#define ONEPASS_TONE_GUARD_RAIL GUARD_RAIL
#define ONEPASS_TONE_OOTF_STAGE OOTF_STAGE
#include "onepass/tone_map.glsl"

#define ONEPASS_LOCAL_NODE(i) nodes[i]
#include "onepass/local_exposure.glsl"

float4 rgba_of(float4 texel) {
  if (SOURCE_CHANNELS == 1u) return float4(texel.rrr, 1.0);
  if (SOURCE_CHANNELS == 2u) return texel.rrrg;
  return texel;
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint slice = gl_WorkGroupID.z;
  uint rows = GROUP / ONEPASS_TONE_TILE;
  uint2 first;
  first.x = gl_WorkGroupID.x * ONEPASS_TONE_TILE + (lane & 7u) + 8u * (lane >> 5u & 1u);
  first.y = gl_WorkGroupID.y * rows * PIXELS + (lane >> 3u & 3u) + 4u * (lane >> 6u);

  float4 texels[ONEPASS_TONE_MOST_PIXELS];
  for (uint k = 0u; k < PIXELS; ++k) {
    uint2 at = min(first + uint2(0u, k * rows), pc.size - 1u);
    texels[k] = texelFetch(source, int3(at, slice), 0);
  }
  float exposure = pc.exposure;
  if (pc.exposure_index != ONEPASS_TONE_NO_EXPOSURE) {
    exposure *= onepass_tone_usable_exposure(exposures[pc.exposure_index + slice * pc.exposure_step]);
  }
  onepass_tone_load(lane, GROUP);
  onepass_group_barrier();
  for (uint k = 0u; k < PIXELS; ++k) {
    uint2 at = first + uint2(0u, k * rows);
    float4 texel = rgba_of(texels[k]);
    if (LOCAL) {
      uint first_region = slice * pc.local.columns * pc.local.rows;
      texel.rgb *= onepass_local_factor(pc.local, texel.rgb, min(at, pc.size - 1u), first_region, exposure);
    }
    float4 stored = onepass_tone_map(texel, exposure);
    if (DITHER) stored.rgb = onepass_tone_dither(stored.rgb, at);
    if (TARGET_KIND == KIND_UNORM) stored = onepass_tone_codes(stored);
    if (TARGET_KIND == KIND_HALF) stored.rgb = min(stored.rgb, float3(65504.0, 65504.0, 65504.0));
    if (TARGET_CHANNELS == 2u) stored.g = stored.a;
    if (at.x < pc.size.x && at.y < pc.size.y) imageStore(target, int3(at, slice), round_to_target(stored));
  }
}
