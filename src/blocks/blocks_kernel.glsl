// blocks_kernel.glsl: compresses all levels and slices in one dispatch, in the common subset of GLSL and HLSL. Part of
// blocks.comp, which has the bindings and constants.
//
// An invocation owns one block, a workgroup 8x8 blocks of one level and slice. Workgroups are numbered through all
// levels, the finest first; z is the slice. Blocks lie level by level, slice by slice, row by row.
//
// Needs BC (1, 3, 4, 5, 6 or 7), load_texel(texel, slice, level) and store_block(index, words).
#if BC == 7
#include "onepass/bc7.glsl"
#elif BC == 6
#include "onepass/bc6h.glsl"
#elif BC == 3
#include "onepass/bc3.glsl"
#elif BC == 1
#include "onepass/bc1.glsl"
#else
#include "onepass/bc4.glsl"
#endif

struct BlockPlace {
  uint2 block;  // in its level
  uint2 size;   // of the level, in texels
  uint level;
  uint index;  // of the block among those of all levels and slices
  bool exists;
};

/// The block of invocation `local` of the workgroup with number `group`.
BlockPlace find_block(uint group, uint slice, uint2 local) {
  BlockPlace place;
  place.size = pc.size;
  place.index = 0u;
  place.level = 0u;
  uint rest = group;
  uint2 count = (pc.size + 3u) / 4u;
  uint2 groups = (count + uint(ONEPASS_BLOCKS_GROUP - 1)) / uint(ONEPASS_BLOCKS_GROUP);
  for (uint level = 1u; level < pc.levels; ++level) {  // the same in all invocations of the workgroup
    if (rest < groups.x * groups.y) break;
    rest -= groups.x * groups.y;
    place.index += count.x * count.y * pc.slices;
    place.size = max(place.size >> 1u, uint2(1u, 1u));
    place.level = level;
    count = (place.size + 3u) / 4u;
    groups = (count + uint(ONEPASS_BLOCKS_GROUP - 1)) / uint(ONEPASS_BLOCKS_GROUP);
  }
  place.block = uint2(rest % groups.x, rest / groups.x) * uint(ONEPASS_BLOCKS_GROUP) + local;
  place.exists = place.block.x < count.x && place.block.y < count.y;
  place.index += (slice * count.y + place.block.y) * count.x + place.block.x;
  return place;
}

/// Texel i of a block; those outside the image repeat the nearest one.
float4 load_of_block(BlockPlace place, uint slice, uint i) {
  uint2 texel = min(place.block * 4u + uint2(i % 4u, i / 4u), place.size - 1u);
  return load_texel(texel, slice, place.level);
}

#if BC == 4 || BC == 5
/// A channel in the unit of the encoder. NaN becomes 0.
float stored_value(float value) {
  float range = HAS_SIGN ? 127.0 : 255.0;
  precise float scaled = range * value;
  if (MAPS_SIGN) scaled = 2.0 * scaled - range;  // 0 to 1 stands for -1 to 1
  bool is_nan = (onepass_float_bits(value) & 0x7FFFFFFFu) > 0x7F800000u;
  return is_nan ? 0.0 : clamp(scaled, HAS_SIGN ? -range : 0.0, range);
}

void compress(BlockPlace place, uint slice) {
  OnepassChannelBlock red;
  red.inside = onepass_block_inside(place.block, place.size);
  OnepassChannelBlock green = red;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    float4 texel = load_of_block(place, slice, i);
    red.value[i] = stored_value(texel.r);
    green.value[i] = stored_value(texel.g);
  }
#if BC == 5
  store_block(place.index, uint4(onepass_bc4(red, HAS_SIGN), onepass_bc4(green, HAS_SIGN)));
#else
  store_block(place.index, onepass_bc4(red, HAS_SIGN));
#endif
}
#elif BC == 6
void compress(BlockPlace place, uint slice) {
  OnepassLightBlock block;
  block.inside = onepass_block_inside(place.block, place.size);
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    onepass_set_light(block, i, load_of_block(place, slice, i).rgb, HAS_SIGN);
  }
  store_block(place.index, onepass_bc6h(block, HAS_SIGN));
}
#else
#define TARGET_KIND KIND_UNORM
#define TARGET_SRGB ENCODES_SRGB
#include "vulkan/target_texel.glsl"

void compress(BlockPlace place, uint slice) {
  OnepassBlock block;
  block.inside = onepass_block_inside(place.block, place.size);
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    block.texel[i] = onepass_block_texel(encode_target(load_of_block(place, slice, i)));
  }
#if BC == 7
  store_block(place.index, onepass_bc7(block));
#elif BC == 3
  store_block(place.index, onepass_bc3(block));
#else
  if (TRANSPARENT) {
    store_block(place.index, onepass_bc1_alpha(block, pc.threshold));
  } else {
    store_block(place.index, onepass_bc1(block));
  }
#endif
}
#endif

void compress_blocks(uint group, uint slice, uint2 local) {
  BlockPlace place = find_block(group, slice, local);
  if (place.exists) compress(place, slice);
}
