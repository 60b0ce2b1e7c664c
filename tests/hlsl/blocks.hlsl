// blocks.hlsl: src/blocks/blocks.comp in HLSL.
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "blocks/blocks_params.h"

[[vk::constant_id(0)]] const bool LUMA = false;
[[vk::constant_id(1)]] const bool WEIGHTED = false;
[[vk::constant_id(2)]] const bool ENCODES_SRGB = false;
[[vk::constant_id(3)]] const bool TRANSPARENT = false;
[[vk::constant_id(4)]] const bool HAS_SIGN = false;
[[vk::constant_id(5)]] const bool MAPS_SIGN = false;

[[vk::push_constant]] cbuffer Constants { BlocksParams pc; };
[[vk::binding(0)]] Texture2DArray<float4> source;
#if BC == 1 || BC == 4
[[vk::binding(1)]] RWStructuredBuffer<uint2> blocks;
#else
[[vk::binding(1)]] RWStructuredBuffer<uint4> blocks;
#endif

#define ONEPASS_BLOCK_LUMA LUMA
#define ONEPASS_BLOCK_WEIGHTED WEIGHTED
#define load_texel(texel, slice, level) source.Load(int4(texel, slice, level))
#define store_block(index, words) blocks[index] = words
#include "blocks/blocks_kernel.glsl"

[numthreads(ONEPASS_BLOCKS_GROUP, ONEPASS_BLOCKS_GROUP, 1)]
void main(uint3 group : SV_GroupID, uint3 local : SV_GroupThreadID) {
  compress_blocks(group.y * pc.group_row + group.x, group.z, local.xy);
}
