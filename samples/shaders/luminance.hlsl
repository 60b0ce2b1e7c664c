// luminance.hlsl: meters an image's luminance and computes its exposure in one dispatch. docs/shaders/luminance.md
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/luminance_params.h"

[[vk::push_constant]] cbuffer Constants { LuminanceParams pc; };  // OnepassLuminanceSetup::constants
[[vk::binding(0)]] Texture2D<float4> source;
[[vk::binding(1)]] ONEPASS_COHERENT RWStructuredBuffer<uint> onepass_words;  // OnepassLuminanceSetup::words
[[vk::binding(2)]] RWStructuredBuffer<LuminanceResult> onepass_results;

#define BINS 2048u
#define COPIES 2u  // 19 KB of shared memory
#define METERING ONEPASS_LUMINANCE_AVERAGE
#define STATISTIC 0u  // the exposure comes from the log-average

float3 onepass_load_colour(uint2 texel, uint slice) { return source.Load(int3(texel, 0)).rgb; }
uint onepass_load_weight(uint2 texel) { return 0u; }  // for ONEPASS_LUMINANCE_MASK

#include "onepass/luminance_meter.hlsl"
[numthreads(ONEPASS_LUMINANCE_GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_meter(group, index); }
