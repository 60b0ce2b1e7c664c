// blocks.comp: compresses an image to blocks of BC7, or of another format by the macro BC. docs/shaders/blocks.md
#version 460
#extension GL_GOOGLE_include_directive : require
#ifndef BC
#define BC 7
#endif
#if BC == 7
#include "onepass/bc7.glsl"
#define WORDS uvec4
#define ENCODE(block) onepass_bc7(block)
#elif BC == 3
#include "onepass/bc3.glsl"
#define WORDS uvec4
#define ENCODE(block) onepass_bc3(block)
#elif BC == 1
#include "onepass/bc1.glsl"
#define WORDS uvec2
#define ENCODE(block) onepass_bc1(block)
#elif BC == 4  // BC5: two blocks like this, of red and of green
#include "onepass/bc4.glsl"
#define BLOCK OnepassChannelBlock
#define WORDS uvec2
#define ENCODE(block) onepass_bc4(block, false)
#define SET(i, texel) block.value[i] = 255.0 * texel.r
#else
#include "onepass/bc6h.glsl"
#define BLOCK OnepassLightBlock
#define WORDS uvec4
#define ENCODE(block) onepass_bc6h(block, false)
#define SET(i, texel) onepass_set_light(block, i, texel.rgb, false)
#endif
#ifndef BLOCK  // 8-bit colours
#define BLOCK OnepassBlock
#define SET(i, value) block.texel[i] = onepass_block_texel(value)
#endif

layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant, std430) uniform Constants { uvec2 size; };
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, std430) writeonly buffer Blocks { WORDS blocks[]; };  // row by row

void main() {  // one block per invocation
  uvec2 at = gl_GlobalInvocationID.xy;
  uvec2 count = (size + 3u) / 4u;
  if (at.x >= count.x || at.y >= count.y) return;
  BLOCK block;
  block.inside = onepass_block_inside(at, size);
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    uvec2 texel = min(4u * at + uvec2(i % 4u, i / 4u), size - 1u);
    vec4 value = texelFetch(source, ivec2(texel), 0);
    SET(i, value);
  }
  blocks[at.y * count.x + at.x] = ENCODE(block);
}
