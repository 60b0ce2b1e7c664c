// two_headers.hlsl: a pyramid whose stores depend on a query of the one before, so that depth_query.hlsl stands in
// front of pyramid.hlsl, with which it shares headers. Only compiled.
#define ONEPASS_HLSL 1
[[vk::binding(0)]] Texture2D<float4> previous;
#define ONEPASS_LOAD_FARTHEST(level, cell) previous.Load(int3(cell, level)).r
#include "onepass/depth_query.hlsl"
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"

[[vk::push_constant]] cbuffer Constants { PyramidParams pc; };
[[vk::binding(1)]] Texture2D<float4> source;
[[vk::binding(2)]] RWTexture2DArray<float4> level_images;
[[vk::binding(3)]] ONEPASS_COHERENT RWStructuredBuffer<uint> counters;
[[vk::binding(4)]] ONEPASS_COHERENT RWStructuredBuffer<float> kept;

#define ONEPASS_ELEMENT float
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#define ONEPASS_REDUCTION ONEPASS_MAX
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]

float onepass_load_base(uint2 texel, uint slice) { return source.Load(int3(texel, 0)).r; }
void onepass_store_level(uint level, uint2 texel, uint slice, float value) {
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(pc.size, ONEPASS_COVERING, false);
  bool hidden = onepass_texels_occluded(pyramid, uint4(texel << level, (texel + 1u) << level), value);
  level_images[uint3(texel, level)] = float4(value, hidden ? 1.0 : 0.0, 0.0, 1.0);
}

#include "onepass/pyramid.hlsl"

[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_pyramid(group, index); }
