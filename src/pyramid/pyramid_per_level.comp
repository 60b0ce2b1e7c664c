// pyramid_per_level.comp: one level per dispatch, from the unrounded level before it: the simple version of
// pyramid.comp.
//
// A workgroup of 256 invocations owns 16x16 texels of the level, one per invocation. Tight footprints are read from the
// base; from level 5 on a whole workgroup reduces one texel.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "pyramid_extensions.glsl"

layout(local_size_x = 256) in;

#define LEVEL_IMAGES 1  // the level this dispatch makes
#include "pyramid_texel.glsl"

void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  store_texel(0u, texel, slice, KEPT_ELEMENT(value));
}
uint onepass_increment(uint counter) { return 0u; }
void onepass_reset(uint counter) {}
void onepass_delay(uint2 tile) {}
#include "onepass/pyramid.glsl"

ONEPASS_ELEMENT reduce_finer(uint2 texel, uint slice) {
  uint finer = pc.level - 1u;
  OnepassTaps x = onepass_taps(pc.size.x, finer, texel.x);
  OnepassTaps y = onepass_taps(pc.size.y, finer, texel.y);
  if (finer > 0u) {
    return onepass_reduce_intermediate(x, y, uint2(onepass_intermediate_offset(finer, slice), onepass_level_size(pc.size.x, finer)));
  }
  return onepass_base_halves() ? onepass_load_base_quad(texel, slice) : onepass_reduce_base(x, y, uint2(slice, 0u));
}

// Reduction of one invocation's share of a tight footprint: columns first, first + step and so on, of all rows.
ONEPASS_ELEMENT reduce_tight(uint2 texel, uint slice, uint first, uint step) {
  uint2 x = onepass_tight_range(pc.size.x, pc.level, texel.x);
  uint2 y = onepass_tight_range(pc.size.y, pc.level, texel.y);
  uint width = x.y - x.x;
  ONEPASS_ELEMENT value = onepass_load_base(uint2(x.x, y.x), slice);
  for (uint v = y.x; v < y.y; ++v) {
    for (uint u = first; u < width; u += step) {
      value = onepass_reduce2(value, onepass_load_base(uint2(x.x + u, v), slice), float2(0.0, 0.0));
    }
  }
  return value;
}

void finish(uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  uint4 rect = onepass_store_rect(pc.level);
  if (all(greaterThanEqual(texel, rect.xy)) && all(lessThan(texel, rect.zw))) {
    onepass_store_level(pc.level, texel, slice, value);
  }
  if (onepass_is_intermediate(pc.level)) {
    onepass_store_intermediate(onepass_intermediate_offset(pc.level, slice) + texel.y * onepass_level_size(pc.size.x, pc.level) + texel.x,
                       value);
  }
}

void share_tight_texel(uint2 texel, uint slice, uint lane) {
  s_a[lane] = reduce_tight(texel, slice, lane, 256u);
  for (uint half_count = 128u; half_count > 0u; half_count >>= 1u) {
    onepass_group_barrier();  // the values to combine are written
    if (lane < half_count) s_a[lane] = onepass_reduce2(s_a[lane], s_a[lane + half_count], float2(0.0, 0.0));
  }
  if (lane == 0u) finish(texel, slice, s_a[0]);
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint slice = gl_WorkGroupID.z;
  if (FOOTPRINT == ONEPASS_TIGHT && pc.level > 4u) {
    share_tight_texel(gl_WorkGroupID.xy + onepass_active_begin(0u), slice, lane);
    return;
  }
  uint2 texel = 16u * gl_WorkGroupID.xy + uint2(lane & 15u, lane >> 4u) + onepass_active_begin(0u);
  if (any(greaterThanEqual(texel, onepass_active_end(0u)))) return;
  finish(texel, slice, FOOTPRINT == ONEPASS_TIGHT ? reduce_tight(texel, slice, 0u, 1u) : reduce_finer(texel, slice));
}
