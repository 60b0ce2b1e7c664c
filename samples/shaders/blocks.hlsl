// blocks.hlsl: compresses an image to blocks of BC7, or of another format by the macro BC. docs/shaders/blocks.md
#define ONEPASS_HLSL 1
#ifndef BC
#define BC 7
#endif
#if BC == 7
#include "onepass/bc7.hlsl"
#define WORDS uint4
#define ENCODE(block) onepass_bc7(block)
#elif BC == 3
#include "onepass/bc3.hlsl"
#define WORDS uint4
#define ENCODE(block) onepass_bc3(block)
#elif BC == 1
#include "onepass/bc1.hlsl"
#define WORDS uint2
#define ENCODE(block) onepass_bc1(block)
#elif BC == 4  // BC5: two blocks like this, of red and of green
#include "onepass/bc4.hlsl"
#define BLOCK OnepassChannelBlock
#define WORDS uint2
#define ENCODE(block) onepass_bc4(block, false)
#define SET(i, texel) block.value[i] = 255.0 * texel.r
#else
#include "onepass/bc6h.hlsl"
#define BLOCK OnepassLightBlock
#define WORDS uint4
#define ENCODE(block) onepass_bc6h(block, false)
#define SET(i, texel) onepass_set_light(block, i, texel.rgb, false)
#endif
#ifndef BLOCK  // 8-bit colours
#define BLOCK OnepassBlock
#define SET(i, value) block.texel[i] = onepass_block_texel(value)
#endif

[[vk::push_constant]] cbuffer Constants { uint2 size; };
[[vk::binding(0)]] Texture2D<float4> source;
[[vk::binding(1)]] RWStructuredBuffer<WORDS> blocks;  // row by row

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {  // one block per invocation
  uint2 at = id.xy;
  uint2 count = (size + 3u) / 4u;
  if (at.x >= count.x || at.y >= count.y) return;
  BLOCK block;
  block.inside = onepass_block_inside(at, size);
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    uint2 texel = min(4u * at + uint2(i % 4u, i / 4u), size - 1u);
    float4 value = source.Load(int3(texel, 0));
    SET(i, value);
  }
  blocks[at.y * count.x + at.x] = ENCODE(block);
}
