// blocks.cu: compresses an image to blocks of BC7, in CUDA C++. docs/shaders/cuda.md
#define ONEPASS_CUDA 1
#include "onepass/prelude.glsl"

ONEPASS_DEVICE_BEGIN

struct Blocks {
  onepass_uint2 size;
  const onepass_float4* source;  // rows without gaps
  onepass_uint4* blocks;         // row by row

#include "onepass/bc7.glsl"

  void run(onepass_uint3 group, uint index) {  // one block per invocation, 64 in a row per workgroup
    onepass_uint2 at = onepass_uint2(64u * group.x + index, group.y);
    onepass_uint2 count = (size + 3u) / 4u;
    if (at.x >= count.x) return;
    OnepassBlock block;
    block.inside = onepass_block_inside(at, size);
    ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
      onepass_uint2 texel = onepass_min(4u * at + onepass_uint2(i % 4u, i / 4u), size - 1u);
      block.texel[i] = onepass_block_texel(source[texel.y * size.x + texel.x]);
    }
    blocks[at.y * count.x + at.x] = onepass_bc7(block);
  }
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL blocks(Blocks kernel) { kernel.run(onepass_group_index(), onepass_invocation_index()); }
