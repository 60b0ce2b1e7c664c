// tile_reduction.hlsl: src/tile_reduction/tile_reduction.comp in HLSL, for workgroups of 256 invocations, the library's
// default.
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"

[[vk::constant_id(1)]] const uint GROUP_LOG2 = 8u;
[[vk::constant_id(2)]] const uint SIDE_LOG2 = 3u;
[[vk::constant_id(3)]] const uint READS_LOG2 = 2u;
[[vk::constant_id(4)]] const uint REDUCTION = 1u;
[[vk::constant_id(5)]] const uint SOURCE_CHANNELS = 1u;
[[vk::constant_id(6)]] const uint TARGET_KIND = 0u;
[[vk::constant_id(7)]] const bool TARGET_SRGB = false;
[[vk::constant_id(8)]] const bool PARTIAL = true;

#include "vulkan/target_texel.glsl"

[[vk::push_constant]] cbuffer Constants { TileReductionParams pc; };
[[vk::binding(0)]] Texture2DArray<float4> source;
[[vk::binding(0)]] SamplerState source_sampler;
[[vk::binding(1)]] RWTexture2DArray<float4> target;

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

#define load_source(texel, slice) source.Load(int4(texel, slice, 0))
#define gather_red(at) source.GatherRed(source_sampler, at)
#define gather_green(at) source.GatherGreen(source_sampler, at)
#define store_target(texel, slice, value) target[uint3(texel, slice)] = value
#include "tile_reduction/tile_reduction_texel.glsl"
#include "onepass/tile_reduction.hlsl"

[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_tile_reduction(group, index); }
