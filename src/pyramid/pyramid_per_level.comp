// pyramid_per_level.comp: one level per dispatch, one texel per invocation: the simple counterpart of pyramid.comp.
//
// A texel is the reduction of its footprint on the finer level: on the base, or on the unrounded texels that the
// dispatch before left in scratch memory. Level arithmetic and texel codec are those of pyramid.comp, nothing else is.
// A workgroup of 256 invocations makes 16x16 texels. Tight footprints are not nested: they are read from the base, and
// from level 5 on, where they have 1024 texels and more, a workgroup makes a single texel.
#version 460
#extension GL_GOOGLE_include_directive : require
#if STORAGE_SOURCE
#extension GL_EXT_shader_image_load_formatted : require
#endif

layout(local_size_x = 256) in;

#define LEVEL_IMAGES 1  // the level that this dispatch makes
#include "pyramid_texel.glsl"

// Texel `at` of the finer level, whose first texel is `begin` in scratch memory unless it is the base.
ONEPASS_ELEMENT load_finer(uint2 at, uint slice, uint begin) {
  if (pc.level == 1u) return onepass_load_base(at, slice);
  return onepass_load_intermediate(begin + at.y * onepass_level_size(pc.size.x, pc.level - 1u) + at.x);
}

ONEPASS_ELEMENT reduce_row(OnepassTaps x, uint row, uint slice, uint begin) {
  ONEPASS_ELEMENT a = load_finer(uint2(x.at.x, row), slice, begin);
  ONEPASS_ELEMENT b = load_finer(uint2(x.at.y, row), slice, begin);
  if (!x.three) return onepass_reduce2(a, b, x.weight.xy);
  return onepass_reduce3(a, b, load_finer(uint2(x.at.z, row), slice, begin), x.weight);
}

// Reduction of two or three taps per axis, rows first.
ONEPASS_ELEMENT reduce_taps(uint2 texel, uint slice) {
  OnepassTaps x = onepass_taps(pc.size.x, pc.level - 1u, texel.x);
  OnepassTaps y = onepass_taps(pc.size.y, pc.level - 1u, texel.y);
  uint begin = onepass_intermediate_offset(pc.level - 1u, slice);
  ONEPASS_ELEMENT a = reduce_row(x, y.at.x, slice, begin);
  ONEPASS_ELEMENT b = reduce_row(x, y.at.y, slice, begin);
  if (!y.three) return onepass_reduce2(a, b, y.weight.xy);
  return onepass_reduce3(a, b, reduce_row(x, y.at.z, slice, begin), y.weight);
}

const float2 no_weight = float2(0.0, 0.0);  // tight is not for means

// Reduction of a tight footprint by one invocation.
ONEPASS_ELEMENT reduce_tight(uint2 texel, uint slice) {
  uint2 x = onepass_tight_range(pc.size.x, pc.level, texel.x);
  uint2 y = onepass_tight_range(pc.size.y, pc.level, texel.y);
  ONEPASS_ELEMENT value = onepass_load_base(uint2(x.x, y.x), slice);
  for (uint v = y.x; v < y.y; ++v) {
    for (uint u = x.x; u < x.y; ++u) value = onepass_reduce2(value, onepass_load_base(uint2(u, v), slice), no_weight);
  }
  return value;
}

// Reduction of every 256th column of a tight footprint, from column `first` on. An iteration takes 32 texels, because
// lavapipe's loops end after 65535 iterations (docs/testing.md); it repeats texels where the footprint has fewer.
ONEPASS_ELEMENT reduce_tight_columns(uint2 texel, uint slice, uint first) {
  uint2 x = onepass_tight_range(pc.size.x, pc.level, texel.x);
  uint2 y = onepass_tight_range(pc.size.y, pc.level, texel.y);
  uint2 last = uint2(x.y, y.y) - 1u;
  ONEPASS_ELEMENT value = onepass_load_base(uint2(x.x, y.x), slice);
  for (uint v = y.x; v < y.y; v += 8u) {
    for (uint u = x.x + first; u < x.y; u += 1024u) {
      ONEPASS_UNROLL for (uint i = 0u; i < 32u; ++i) {
        uint2 at = min(uint2(u + 256u * (i >> 3u), v + (i & 7u)), last);
        value = onepass_reduce2(value, onepass_load_base(at, slice), no_weight);
      }
    }
  }
  return value;
}

groupshared ONEPASS_ELEMENT s_values[256];

// Reduction of a tight footprint by the whole workgroup. Invocation 0 returns the result.
ONEPASS_ELEMENT reduce_tight_together(uint2 texel, uint slice, uint lane) {
  s_values[lane] = reduce_tight_columns(texel, slice, lane);
  for (uint half_count = 128u; half_count > 0u; half_count >>= 1u) {
    onepass_group_barrier();  // the values to combine are written
    if (lane < half_count) s_values[lane] = onepass_reduce2(s_values[lane], s_values[lane + half_count], no_weight);
  }
  return s_values[lane];
}

// Stores a texel in its image if the changed region affects it, and in scratch memory if the next dispatch reads it.
void store(uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  uint4 rect = onepass_store_rect(pc.level);
  if (all(greaterThanEqual(texel, rect.xy)) && all(lessThan(texel, rect.zw))) store_texel(0u, texel, slice, value);
  if (onepass_is_intermediate(pc.level)) {
    uint begin = onepass_intermediate_offset(pc.level, slice);
    onepass_store_intermediate(begin + texel.y * onepass_level_size(pc.size.x, pc.level) + texel.x, value);
  }
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint slice = gl_WorkGroupID.z;
  uint2 begin = uint2(pc.active_tiles[0].x & 0xFFFFu, pc.active_tiles[0].x >> 16);  // of the texels to make
  uint2 end = uint2(pc.active_tiles[0].y & 0xFFFFu, pc.active_tiles[0].y >> 16);
  if (FOOTPRINT == ONEPASS_TIGHT && pc.level > 4u) {
    uint2 texel = begin + gl_WorkGroupID.xy;
    ONEPASS_ELEMENT value = reduce_tight_together(texel, slice, lane);
    if (lane == 0u) store(texel, slice, value);
    return;
  }
  uint2 texel = begin + 16u * gl_WorkGroupID.xy + uint2(lane & 15u, lane >> 4u);
  if (any(greaterThanEqual(texel, end))) return;
  if (FOOTPRINT == ONEPASS_TIGHT) {
    store(texel, slice, reduce_tight(texel, slice));
  } else if (pc.level == 1u && onepass_base_halves()) {
    store(texel, slice, onepass_load_base_quad(texel, slice));  // by one gather or linear sample if possible
  } else {
    store(texel, slice, reduce_taps(texel, slice));
  }
}
