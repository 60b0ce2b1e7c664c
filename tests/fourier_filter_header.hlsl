// fourier_filter_header.hlsl: fourier_filter_header.comp in HLSL.
#define ONEPASS_HLSL 1
#include "onepass/prelude_types.glsl"

#include "onepass/fourier_filter_params.h"

[[vk::binding(0)]] StructuredBuffer<FourierFilterParams> filter_params;
[[vk::binding(1)]] RWStructuredBuffer<float> gains;

#define ONEPASS_FILTER_PARAMS filter_params[0]
#include "onepass/fourier_filter.hlsl"

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  gains[id.x] = onepass_filter_gain(float(id.x % 65u) / 128.0, float(id.x / 65u) / 128.0 - 0.5);
}
