// luminance.hlsl: src/luminance/luminance.comp in HLSL.
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/luminance_params.h"

[[vk::constant_id(0)]] const uint BINS = ONEPASS_LUMINANCE_FINE_BINS;
[[vk::constant_id(1)]] const uint COPIES = 2u;
[[vk::constant_id(2)]] const uint METERING = 0u;
[[vk::constant_id(3)]] const uint STATISTIC = 0u;
[[vk::constant_id(4)]] const bool GREY = false;

[[vk::push_constant]] cbuffer Constants { LuminanceParams pc; };
[[vk::binding(0)]] Texture2DArray<float4> source;
[[vk::binding(1)]] Texture2DArray<float4> mask;
[[vk::binding(2)]] ONEPASS_COHERENT RWStructuredBuffer<uint> onepass_words;
[[vk::binding(3)]] RWStructuredBuffer<LuminanceResult> onepass_results;

float3 onepass_load_colour(uint2 texel, uint slice) {
  float4 value = source.Load(int4(texel, slice, 0));
  return GREY ? value.rrr : value.rgb;
}

uint onepass_load_weight(uint2 texel) {
  float value = mask.Load(int4(texel, 0, 0)).r;
  return value > 0.0 ? uint(min(value, 1.0) * 255.0 + 0.5) : 0u;
}

#include "onepass/luminance_meter.hlsl"

[numthreads(ONEPASS_LUMINANCE_GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_meter(group, index); }
