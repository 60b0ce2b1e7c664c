// tone_map.hlsl: tone maps an image with the exposure in a meter's result buffer. docs/shaders/tone_map.md
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/luminance.hlsl"
#include "onepass/tone_map_params.h"

[[vk::push_constant]] cbuffer Constants { uint2 size; };
[[vk::binding(0)]] Texture2D<float4> source;
[[vk::binding(1)]] RWTexture2D<float4> target;
[[vk::binding(2)]] cbuffer Program { ToneMapProgram program; };  // ToneMapShader::program
[[vk::binding(3)]] StructuredBuffer<float4> cubics;              // ToneMapShader::cubics
[[vk::binding(4)]] StructuredBuffer<LuminanceResult> metered;

// ToneMapShader::definitions of an operator with one curve (ToneOperator::kHable).
#define ONEPASS_TONE_MIX 0
#define ONEPASS_TONE_MATRIX_MASK 0u
#define ONEPASS_TONE_CURVE_MASK 1u
#define ONEPASS_TONE_ROOT_MASK 0u
#define ONEPASS_TONE_FOOT_MASK 0u
#define ONEPASS_TONE_SHIFTS 21u
#define ONEPASS_TONE_CURVE_COUNT 1u
#define ONEPASS_TONE_FINE false
#define ONEPASS_TONE_KEEPS_HUE false
#define ONEPASS_TONE_GUARD_RAIL false
#define ONEPASS_TONE_PROGRAM program
#define ONEPASS_TONE_CUBICS(i) cubics[i]
#include "onepass/tone_map.hlsl"

[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) {  // 16x16 texels per workgroup
  onepass_tone_load(index, 256u);
  onepass_group_barrier();  // until the curves are in shared memory
  uint2 at = group.xy * 16u + uint2(index & 15u, index >> 4u);
  if (at.x >= size.x || at.y >= size.y) return;
  float4 texel = source.Load(int3(at, 0));
  target[at] = onepass_tone_map(texel, onepass_exposure(metered[0]));
}
