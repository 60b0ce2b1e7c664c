// spd_covering.glsl: a tile of 64x64 texels and its six levels with the covering footprint at any size. Part of
// spd.glsl.
//
// At odd sizes texel i of a level stands for the finer texels 2i, 2i+1 and 2i+2, so that a texel of level 6 depends on
// up to 127x127 texels of the base. pyramid.glsl makes three levels per stage and passes the third one to the next
// stage. SPD has one counter and reads level 6 only; here the workgroup makes the texels of level 3 that it needs of
// its right and lower neighbours again, without storing them:
//
//     +--------+------+      levels 1 to 3 of the own tile, and where level 3 has a halo, of three neighbours
//     |  own   | halo |      level 3: 8x8 own texels and up to 7 texels of halo per axis, in shared memory
//     |  8x8   |  <=7 |      levels 4 to 6: one texel per invocation, in place
//     +--------+------+
//     |  halo  |      |
//     +--------+------+
#ifndef ONEPASS_SPD_COVERING_GLSL_
#define ONEPASS_SPD_COVERING_GLSL_

#include "onepass/pyramid_general.glsl"
#include "onepass/prelude_names.glsl"

groupshared ONEPASS_ELEMENT s_level[16 * 16];  // texels of level 3, 4 or 5, rows of 16

#define ONEPASS_LOAD_LEVEL(at, context) s_level[((at).y - context.y) * 16u + (at).x - context.x]
ONEPASS_DEFINE_REDUCE(onepass_reduce_level, ONEPASS_LOAD_LEVEL)

// Texels of `level` beyond the own ones that level `last` of a tile depends on.
uint2 onepass_spd_halo(uint level, uint last) {
  return uint2(onepass_halo_texels(ONEPASS_FOOTPRINT, ONEPASS_PARAMS.size.x, level, last, 0u),
               onepass_halo_texels(ONEPASS_FOOTPRINT, ONEPASS_PARAMS.size.y, level, last, 0u));
}

// Makes levels 1 to `depth`, at most 3, of the tile `offset` tiles from `tile`, and puts level 3 into s_level.
void onepass_spd_fine_levels(uint depth, uint2 tile, uint2 offset, uint slice, uint lane) {
  OnepassStage stage;
  stage.first = 0u;
  stage.depth = depth;
  stage.kind = ONEPASS_STAGE_GENERAL;
  onepass_general_tile(stage, tile + offset, slice, lane);
  onepass_group_barrier();  // level 3 is complete in s_a, and s_level is no longer read
  uint2 at = uint2(lane & 7u, lane >> 3u);
  if (lane < 64u) s_level[(8u * offset.y + at.y) * 16u + 8u * offset.x + at.x] = s_a[at.y * ONEPASS_A_STRIDE + at.x];
}

// Makes a level above 3 from the finer level in s_level, in place.
void onepass_spd_coarse_level(uint level, uint last, uint2 tile, uint slice, uint lane) {
  uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, level);
  uint2 begin = tile * (64u >> level);
  uint2 own = min(begin + (64u >> level), size);
  uint2 needed = min(begin + (64u >> level) + onepass_spd_halo(level, last), size);
  uint2 offset = uint2(lane & 15u, lane >> 4u);
  uint2 texel = begin + offset;
  bool makes = all(onepass_less(texel, needed));
  ONEPASS_ELEMENT value;
  onepass_group_barrier();  // the finer level is complete
  if (makes) {
    OnepassTaps x = onepass_taps(ONEPASS_PARAMS.size.x, level - 1u, texel.x);
    OnepassTaps y = onepass_taps(ONEPASS_PARAMS.size.y, level - 1u, texel.y);
    value = onepass_reduce_level(x, y, 2u * begin);
  }
  onepass_group_barrier();  // the finer level is no longer read
  if (makes) {
    s_level[offset.y * 16u + offset.x] = value;
    if (all(onepass_less(texel, own))) onepass_store_level(level, texel, slice, value);
  }
}

/// Makes levels 1 to `last`, at most 6, of a tile.
void onepass_spd_covering_tile(uint last, uint2 tile, uint slice, uint lane) {
  uint2 neighbours = uint2(0u, 0u);
  if (last > 3u) neighbours = min(onepass_spd_halo(3u, last), uint2(1u, 1u));
  for (uint y = 0u; y <= neighbours.y; ++y) {
    for (uint x = 0u; x <= neighbours.x; ++x) {
      onepass_spd_stores = (x | y) == 0u;
      onepass_spd_fine_levels(min(last, 3u), tile, uint2(x, y), slice, lane);
    }
  }
  onepass_spd_stores = true;
  for (uint level = 4u; level <= last; ++level) onepass_spd_coarse_level(level, last, tile, slice, lane);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_SPD_COVERING_GLSL_
