// local_exposure.hlsl: src/tone_map/local_exposure.comp in HLSL.
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/local_exposure_params.h"

[[vk::constant_id(0)]] const bool GREY = false;

[[vk::push_constant]] cbuffer Constants { LocalGridParams pc; };
[[vk::binding(0)]] Texture2DArray<float4> source;
[[vk::binding(1)]] ONEPASS_COHERENT RWStructuredBuffer<uint> onepass_local_counters;
[[vk::binding(2)]] ONEPASS_COHERENT RWStructuredBuffer<float2> onepass_local_raw;
[[vk::binding(3)]] ONEPASS_COHERENT RWStructuredBuffer<float2> onepass_local_nodes;

#define ONEPASS_LOCAL_PARAMS pc
float4 onepass_load_texel(uint2 texel, uint slice) {
  float4 value = source.Load(int4(texel, slice, 0));
  return GREY ? value.rrra : value;
}

#include "onepass/local_exposure_grid.hlsl"

[numthreads(ONEPASS_LOCAL_GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_local_grid(group, index); }
