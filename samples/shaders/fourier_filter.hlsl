// fourier_filter.hlsl: multiplies the spectrum of a real image by a filter's gains. docs/shaders/fourier_filter.md
#define ONEPASS_HLSL 1
#include "onepass/prelude_types.glsl"
#include "onepass/fourier_filter_params.h"

[[vk::push_constant]] cbuffer Constants { uint2 size; };                 // of the image
[[vk::binding(0)]] StructuredBuffer<FourierFilterParams> filter_params;  // make_filter_params()
[[vk::binding(1)]] RWStructuredBuffer<float2> values;  // size.x / 2 + 1 frequencies per row, size.y rows

#define ONEPASS_FILTER_PARAMS filter_params[0]
#include "onepass/fourier_filter.hlsl"

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint index = id.x;
  uint width = size.x / 2u + 1u;
  if (index >= width * size.y) return;
  float fx = float(index % width) / float(size.x);  // cycles per texel
  float fy = float(index / width) / float(size.y);
  values[index] *= onepass_filter_gain(fx, fy > 0.5 ? fy - 1.0 : fy);
}
