// bc3.glsl: the encoder of BC3: one block of 16 bytes per call, alpha as BC4, colours as BC1.
//
//     uint4 words = onepass_bc3(block);  // an OnepassBlock of block_texels.glsl
#ifndef ONEPASS_BC3_GLSL_
#define ONEPASS_BC3_GLSL_

#include "onepass/bc1.glsl"
#include "onepass/bc4.glsl"
#include "onepass/prelude_names.glsl"

/// The four words of a block, the first one first.
uint4 onepass_bc3(OnepassBlock block) {
  OnepassChannelBlock alpha;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) alpha.value[i] = float(block.texel[i] >> 24u);
  alpha.inside = block.inside;
  return uint4(onepass_bc4(alpha, false), onepass_bc1_of_bc3(block));
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_BC3_GLSL_
