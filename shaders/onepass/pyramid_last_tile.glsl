// pyramid_last_tile.glsl: the last stage of a chain whose later stages have a dispatch of their own: all levels after
// one of at most 65x33 texels, by one workgroup.
//
// Invocations make a texel each, level by level in shared memory. A sliding window would make the same levels row after
// row and wait for memory twice, while the device has nothing else to do. The results have the same bits: finer texels
// are reduced along y, then along x, and where a size is even two taps share the second texel.
#ifndef ONEPASS_PYRAMID_LAST_TILE_GLSL_
#define ONEPASS_PYRAMID_LAST_TILE_GLSL_

#include "onepass/pyramid_sliding_window.glsl"
#include "onepass/prelude_names.glsl"

#define ONEPASS_LAST_TILE_WIDTH 32u  // texels per row of the first level in shared memory, at most 16 rows

/// True if this workgroup makes the whole stage, and its first level has at most 32x16 texels.
bool onepass_is_last_tile(OnepassStage stage, uint index) {
  if (!ONEPASS_HAS_LAST_TILE || index == 0u || index + 1u != ONEPASS_STAGE_COUNT) return false;
  uint2 fine = ONEPASS_PARAMS.size >> stage.first;
  uint2 tiles = onepass_tile_count(stage);
  bool fits = all(onepass_less(fine >> 1u, uint2(33u, 17u)));
  return fits && max(tiles.x, tiles.y) == 1u;
}

// The three taps of texel `i` of the next coarser level on a level of size `fine`, as in a sliding window.
OnepassTaps onepass_last_tile_taps(uint fine, uint i) {
  OnepassTaps taps;
  uint coarse = max(fine >> 1u, 1u);
  taps.three = (fine & 1u) != 0u && fine > 1u;
  taps.weight = onepass_window_weight(taps.three, coarse, i, 1.0 / float(fine));
  taps.at = min(2u * min(i, coarse - 1u) + uint3(0u, 1u, taps.three ? 2u : 1u), fine - 1u);
  return taps;
}

// Defines NAME(x, y, context): the reduction of three taps per axis, columns first.
#define ONEPASS_DEFINE_LAST_TILE(NAME, LOAD)                                 \
  ONEPASS_ELEMENT NAME##_column(uint column, OnepassTaps y, uint2 context) { \
    ONEPASS_ELEMENT a = LOAD(uint2(column, y.at.x), context);                \
    ONEPASS_ELEMENT b = LOAD(uint2(column, y.at.y), context);                \
    ONEPASS_ELEMENT c = LOAD(uint2(column, y.at.z), context);                \
    return onepass_reduce3(a, b, c, y.weight);                               \
  }                                                                          \
  ONEPASS_ELEMENT NAME(OnepassTaps x, OnepassTaps y, uint2 context) {        \
    ONEPASS_ELEMENT a = NAME##_column(x.at.x, y, context);                   \
    ONEPASS_ELEMENT b = NAME##_column(x.at.y, y, context);                   \
    ONEPASS_ELEMENT c = NAME##_column(x.at.z, y, context);                   \
    return onepass_reduce3(a, b, c, x.weight);                               \
  }
#define ONEPASS_LAST_TILE_LOAD_A(at, context) s_a[(at).y * ONEPASS_LAST_TILE_WIDTH + (at).x]
#define ONEPASS_LAST_TILE_LOAD_B(at, context) s_b[(at).y * ONEPASS_LAST_TILE_WIDTH / 2u + (at).x]
ONEPASS_DEFINE_LAST_TILE(onepass_last_tile_first, ONEPASS_LOAD_INTERMEDIATE)
ONEPASS_DEFINE_LAST_TILE(onepass_last_tile_second, ONEPASS_LAST_TILE_LOAD_A)
ONEPASS_DEFINE_LAST_TILE(onepass_last_tile_third, ONEPASS_LAST_TILE_LOAD_B)

// Texel of the first level from the exchange buffer; beyond the level, any value.
ONEPASS_ELEMENT onepass_last_tile_load(uint2 fine, uint2 texel, uint from) {
  return onepass_last_tile_first(onepass_last_tile_taps(fine.x, texel.x), onepass_last_tile_taps(fine.y, texel.y),
                                 uint2(from, fine.x));
}

void onepass_last_tile_store(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  if (onepass_is_stored(level, texel)) onepass_store_level(level, texel, slice, value);
}

/// Makes the last stage's levels from the exchange buffer at `from`, up to three, for onepass_window_last_levels(). The
/// whole workgroup calls it.
void onepass_last_tile(OnepassStage stage, uint slice, uint from, uint lane) {
  const uint rows = 256u / ONEPASS_LAST_TILE_WIDTH;  // that the workgroup makes at a time
  uint2 fine = onepass_level_size2(ONEPASS_PARAMS.size, stage.first);
  uint2 coarse = max(fine >> 1u, uint2(1u, 1u));
  uint2 texel = uint2(lane % ONEPASS_LAST_TILE_WIDTH, lane / ONEPASS_LAST_TILE_WIDTH);
  ONEPASS_ELEMENT value[2];
  ONEPASS_UNROLL for (uint i = 0u; i < 2u; ++i) {
    value[i] = onepass_last_tile_load(fine, texel + uint2(0u, rows * i), from);
  }
  ONEPASS_UNROLL for (uint i = 0u; i < 2u; ++i) {
    uint2 at = texel + uint2(0u, rows * i);
    if (all(onepass_less(at, coarse))) {
      s_a[at.y * ONEPASS_LAST_TILE_WIDTH + at.x] = value[i];
      onepass_last_tile_store(stage.first + 1u, at, slice, value[i]);
    }
  }
  if (stage.depth < 2u) return;
  onepass_group_barrier();  // the first level is complete
  fine = coarse;
  coarse = max(fine >> 1u, uint2(1u, 1u));
  texel = uint2(lane & 15u, lane >> 4u);
  if (all(onepass_less(texel, coarse))) {
    value[0] = onepass_last_tile_second(onepass_last_tile_taps(fine.x, texel.x),
                                        onepass_last_tile_taps(fine.y, texel.y), uint2(0u, 0u));
    s_b[texel.y * ONEPASS_LAST_TILE_WIDTH / 2u + texel.x] = value[0];
    onepass_last_tile_store(stage.first + 2u, texel, slice, value[0]);
  }
  if (stage.depth < 3u) return;
  onepass_group_barrier();  // the second level is complete, the first has been read
  fine = coarse;
  coarse = max(fine >> 1u, uint2(1u, 1u));
  texel = uint2(lane & 7u, lane >> 3u);
  if (all(onepass_less(texel, coarse))) {
    value[0] = onepass_last_tile_third(onepass_last_tile_taps(fine.x, texel.x), onepass_last_tile_taps(fine.y, texel.y),
                                       uint2(0u, 0u));
    s_a[texel.y * 8u + texel.x] = value[0];
    onepass_last_tile_store(stage.first + 3u, texel, slice, value[0]);
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_LAST_TILE_GLSL_
