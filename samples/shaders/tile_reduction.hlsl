// tile_reduction.hlsl: the nearest depth of each tile of 8x8 texels. docs/shaders/tile_reduction.md
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"

[[vk::push_constant]] cbuffer Constants { TileReductionParams pc; };
[[vk::binding(0)]] Texture2D<float4> source;
[[vk::binding(1)]] RWTexture2D<float4> target;

#ifndef ONEPASS_TILE_STRATEGY
#define ONEPASS_TILE_STRATEGY 2  // ONEPASS_TILE_TREE
#endif
#ifndef ONEPASS_REDUCTION
#define ONEPASS_REDUCTION ONEPASS_MIN
#endif
#ifndef ONEPASS_TILE_SIDE_LOG2
#define ONEPASS_TILE_SIDE_LOG2 2u  // factor 8; OnepassTileSetup contains these three numbers
#define ONEPASS_TILE_READS_LOG2 2u
#endif
#define ONEPASS_TILE_GROUP_LOG2 8u
#define ONEPASS_TILE_COUNT pc.tiles
#define ONEPASS_TILE_SOURCE_SIZE pc.size
#define ONEPASS_ELEMENT float
#define ONEPASS_TILE_COMPONENTS 1

float onepass_load_texel(uint2 texel, uint slice) { return source.Load(int3(texel, 0)).r; }
void onepass_store_tile(uint2 tile, uint slice, float value) { target[tile] = float4(value, 0.0, 0.0, 1.0); }

#include "onepass/tile_reduction.hlsl"
[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_tile_reduction(group, index); }
