// blocks.comp: compresses all levels and slices of an image to blocks in a buffer; see src/blocks/blocks_kernel.glsl,
// the encoders in shaders/onepass/bc*.glsl, and src/blocks/kernels.cmake for the variants.
//
// BC (1, 3, 4, 5, 6 or 7) is a macro, because the type of a block depends on it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "blocks/blocks_params.h"

layout(local_size_x = ONEPASS_BLOCKS_GROUP, local_size_y = ONEPASS_BLOCKS_GROUP) in;

layout(constant_id = 0) const bool LUMA = false;
layout(constant_id = 1) const bool WEIGHTED = false;      // colours count by alpha
layout(constant_id = 2) const bool ENCODES_SRGB = false;  // of linear sources
layout(constant_id = 3) const bool TRANSPARENT = false;   // BC1 with alpha
layout(constant_id = 4) const bool HAS_SIGN = false;      // BC4, BC5, BC6H
layout(constant_id = 5) const bool MAPS_SIGN = false;     // 0 to 1 of the source stands for -1 to 1

layout(push_constant, std430) uniform Constants { BlocksParams pc; };
layout(binding = 0) uniform sampler2DArray source;
#if BC == 1 || BC == 4
layout(binding = 1, std430) writeonly buffer Blocks { uint2 blocks[]; };
#else
layout(binding = 1, std430) writeonly buffer Blocks { uint4 blocks[]; };
#endif

#define ONEPASS_BLOCK_LUMA LUMA
#define ONEPASS_BLOCK_WEIGHTED WEIGHTED
#define load_texel(texel, slice, level) texelFetch(source, int3(texel, slice), int(level))
#define store_block(index, words) blocks[index] = words
#include "blocks/blocks_kernel.glsl"

void main() {
  compress_blocks(gl_WorkGroupID.y * pc.group_row + gl_WorkGroupID.x, gl_WorkGroupID.z, gl_LocalInvocationID.xy);
}
