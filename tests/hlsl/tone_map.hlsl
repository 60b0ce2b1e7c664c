// tone_map.hlsl: src/tone_map/tone_map.comp in HLSL, for workgroups of 256 invocations, the library's default.
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/tone_map_params.h"

[[vk::constant_id(1)]] const uint GROUP = 256u;
[[vk::constant_id(2)]] const uint PIXELS = 4u;
[[vk::constant_id(3)]] const uint MIX = 0u;
[[vk::constant_id(4)]] const uint MATRIX_MASK = 0u;
[[vk::constant_id(5)]] const uint CURVE_MASK = 0u;
[[vk::constant_id(6)]] const uint ROOT_MASK = 0u;
[[vk::constant_id(7)]] const uint CURVE_COUNT = 1u;
[[vk::constant_id(8)]] const bool KEEPS_HUE = false;
[[vk::constant_id(9)]] const bool GUARD_RAIL = false;
[[vk::constant_id(10)]] const uint SOURCE_CHANNELS = 4u;
[[vk::constant_id(11)]] const uint TARGET_CHANNELS = 4u;
[[vk::constant_id(12)]] const uint TARGET_KIND = 0u;
[[vk::constant_id(13)]] const bool DITHER = false;
[[vk::constant_id(14)]] const bool FINE = false;
[[vk::constant_id(15)]] const uint FOOT_MASK = 0u;
[[vk::constant_id(16)]] const uint SHIFTS = 0u;
[[vk::constant_id(17)]] const uint OOTF_STAGE = 4u;
[[vk::constant_id(18)]] const bool LOCAL = false;

#define TARGET_SRGB false  // the curves contain the transfer function
#include "vulkan/target_texel.glsl"

[[vk::push_constant]] cbuffer Constants { ToneMapParams pc; };
[[vk::binding(0)]] Texture2DArray<float4> source;
[[vk::binding(1)]] RWTexture2DArray<float4> target;
[[vk::binding(2)]] cbuffer Program { ToneMapProgram program; };
[[vk::binding(3)]] StructuredBuffer<float4> cubics;
[[vk::binding(4)]] StructuredBuffer<float> exposures;
[[vk::binding(5)]] StructuredBuffer<float2> nodes;

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
#include "onepass/tone_map.hlsl"

#define ONEPASS_LOCAL_NODE(i) nodes[i]
#include "onepass/local_exposure.hlsl"

float4 rgba_of(float4 texel) {
  if (SOURCE_CHANNELS == 1u) return float4(texel.rrr, 1.0);
  if (SOURCE_CHANNELS == 2u) return texel.rrrg;
  return texel;
}

[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint lane : SV_GroupIndex) {
  uint rows = GROUP / ONEPASS_TONE_TILE;
  uint2 first;
  first.x = group.x * ONEPASS_TONE_TILE + (lane & 7u) + 8u * (lane >> 5u & 1u);
  first.y = group.y * rows * PIXELS + (lane >> 3u & 3u) + 4u * (lane >> 6u);
  float exposure = pc.exposure;
  if (pc.exposure_index != ONEPASS_TONE_NO_EXPOSURE) {
    exposure *= onepass_tone_usable_exposure(exposures[pc.exposure_index + group.z * pc.exposure_step]);
  }
  onepass_tone_load(lane, GROUP);
  onepass_group_barrier();
  for (uint k = 0u; k < PIXELS; ++k) {
    uint2 at = first + uint2(0u, k * rows);
    float4 texel = rgba_of(source.Load(int4(min(at, pc.size - 1u), group.z, 0)));
    if (LOCAL) {
      uint first_region = group.z * pc.local.columns * pc.local.rows;
      texel.rgb *= onepass_local_factor(pc.local, texel.rgb, min(at, pc.size - 1u), first_region, exposure);
    }
    float4 stored = onepass_tone_map(texel, exposure);
    if (DITHER) stored.rgb = onepass_tone_dither(stored.rgb, at);
    if (TARGET_KIND == KIND_UNORM) stored = onepass_tone_codes(stored);
    if (TARGET_KIND == KIND_HALF) stored.rgb = min(stored.rgb, float3(65504.0, 65504.0, 65504.0));
    if (TARGET_CHANNELS == 2u) stored.g = stored.a;
    if (at.x < pc.size.x && at.y < pc.size.y) target[uint3(at, group.z)] = round_to_target(stored);
  }
}
