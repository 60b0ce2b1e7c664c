// pyramid_general.glsl: a general stage makes the levels of a tile of 64x64 texels and its halo one by one in shared
// memory: any size, any footprint but tight.
#ifndef ONEPASS_PYRAMID_GENERAL_GLSL_
#define ONEPASS_PYRAMID_GENERAL_GLSL_

#include "onepass/workgroup_exchange.glsl"
#include "onepass/prelude_names.glsl"

// Wide elements take two passes over columns, because shared memory limits the occupancy: 17 instead of 26 KB for
// float4.
#ifndef ONEPASS_COLUMN_PASSES
#define ONEPASS_COLUMN_PASSES 1
#endif
#if ONEPASS_COLUMN_PASSES == 2
#define ONEPASS_A_STRIDE 20u
#else
#define ONEPASS_A_STRIDE 36u
#endif
#define ONEPASS_B_STRIDE 18u
#define ONEPASS_LAST_TILE_TEXELS 512u  // pyramid_last_tile.glsl

// Each array holds one level of a tile and its halo; a level is reduced from one array into the other.
//     odd distance from the stage's finest level -> s_a (first level: the columns of one pass), even -> s_b
// Without general stages only the last levels are in them.
#if ONEPASS_TWO_TO_ONE_ONLY
groupshared ONEPASS_ELEMENT s_a[256];
#else
groupshared ONEPASS_ELEMENT s_a[ONEPASS_HAS_GENERAL                     ? ONEPASS_A_STRIDE * 36u
                                : ONEPASS_STAGES != ONEPASS_STAGES_BASE ? ONEPASS_LAST_TILE_TEXELS
                                                                        : 256u];
#endif
groupshared ONEPASS_ELEMENT s_b[ONEPASS_HAS_GENERAL ? ONEPASS_B_STRIDE * 18u : 256u];

// Load a tap at texel `at`. `context`: the slice; a level's offset and width in the exchange buffer; the tile's begin.
#define ONEPASS_LOAD_BASE(at, context) onepass_load_base(at, context.x)
#define ONEPASS_LOAD_INTERMEDIATE(at, context) onepass_load_intermediate(context.x + (at).y * context.y + (at).x)
#define ONEPASS_LOAD_A(at, context) s_a[((at).y - context.y) * ONEPASS_A_STRIDE + (at).x - context.x]
#define ONEPASS_LOAD_B(at, context) s_b[((at).y - context.y) * ONEPASS_B_STRIDE + (at).x - context.x]

#ifdef ONEPASS_OWN_REDUCE4
// Defines NAME(x, y, context): the reduction of two taps per axis, in order.
#define ONEPASS_DEFINE_REDUCE(NAME, LOAD)                             \
  ONEPASS_ELEMENT NAME(OnepassTaps x, OnepassTaps y, uint2 context) { \
    ONEPASS_ELEMENT v00 = LOAD(uint2(x.at.x, y.at.x), context);       \
    ONEPASS_ELEMENT v10 = LOAD(uint2(x.at.y, y.at.x), context);       \
    ONEPASS_ELEMENT v01 = LOAD(uint2(x.at.x, y.at.y), context);       \
    ONEPASS_ELEMENT v11 = LOAD(uint2(x.at.y, y.at.y), context);       \
    return onepass_reduce4(v00, v10, v01, v11);                       \
  }
#else
// Defines NAME(x, y, context): the reduction of two or three taps per axis, rows first.
#define ONEPASS_DEFINE_REDUCE(NAME, LOAD)                                      \
  ONEPASS_ELEMENT NAME##_row(OnepassTaps x, uint row, uint2 context) {         \
    ONEPASS_ELEMENT a = LOAD(uint2(x.at.x, row), context);                     \
    ONEPASS_ELEMENT b = LOAD(uint2(x.at.y, row), context);                     \
    if (!x.three) return onepass_reduce2(a, b, x.weight.xy);                   \
    return onepass_reduce3(a, b, LOAD(uint2(x.at.z, row), context), x.weight); \
  }                                                                            \
  ONEPASS_ELEMENT NAME(OnepassTaps x, OnepassTaps y, uint2 context) {          \
    ONEPASS_ELEMENT a = NAME##_row(x, y.at.x, context);                        \
    ONEPASS_ELEMENT b = NAME##_row(x, y.at.y, context);                        \
    if (!y.three) return onepass_reduce2(a, b, y.weight.xy);                   \
    return onepass_reduce3(a, b, NAME##_row(x, y.at.z, context), y.weight);    \
  }
#endif

ONEPASS_DEFINE_REDUCE(onepass_reduce_base, ONEPASS_LOAD_BASE)
ONEPASS_DEFINE_REDUCE(onepass_reduce_intermediate, ONEPASS_LOAD_INTERMEDIATE)
ONEPASS_DEFINE_REDUCE(onepass_reduce_a, ONEPASS_LOAD_A)
ONEPASS_DEFINE_REDUCE(onepass_reduce_b, ONEPASS_LOAD_B)

// A tile's texels of one level: it computes [begin, needed) and owns [begin, own).
struct OnepassTileLevel {
  uint level;
  uint2 begin;
  uint2 own;
  uint2 needed;
  uint kept;   // index of texel (0, 0) in the exchange buffer
  uint width;  // of the level
  bool keep;   // owned texels go to the exchange buffer
};

OnepassTileLevel onepass_tile_level(OnepassStage stage, uint2 tile, uint slice, uint level) {
  OnepassTileLevel t;
  uint step = level - stage.first;
  uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, level);
  uint2 halo = onepass_halo(stage, level, (tile + 1u) * (64u >> stage.depth));
  t.level = level;
  t.begin = tile * (64u >> step);
  t.own = min((tile + 1u) * (64u >> step), size);
  t.needed = min((tile + 1u) * (64u >> step) + halo, size);
  t.keep = onepass_is_intermediate(level);
  t.width = size.x;
  t.kept = t.keep ? onepass_intermediate_offset(level, slice) : 0u;
  return t;
}

// Stores an owned texel in its image and, for the next stage, in the exchange buffer.
void onepass_emit(OnepassTileLevel t, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  if (any(onepass_greater_equal(texel, t.own))) return;
  if (onepass_is_stored(t.level, texel)) onepass_store_level(t.level, texel, slice, value);
  if (t.keep) onepass_store_intermediate(t.kept + texel.y * t.width + texel.x, value);
}

// Begin and end of the columns of a level that belong to a pass, relative to the tile's first column. A pass has
// `width` columns; the last pass has the halo too.
uint2 onepass_columns(uint part, uint width, uint columns) {
  uint begin = min(part * width, columns);
  return uint2(begin, part + 1u < uint(ONEPASS_COLUMN_PASSES) ? min(begin + width, columns) : columns);
}

// Makes the first level of a stage in s_a, from the base or the exchange buffer: the columns of one pass, and the
// column after it that the next level's last texels read.
void onepass_first_level(OnepassStage stage, uint2 tile, uint slice, uint part, uint lane) {
  OnepassTileLevel t = onepass_tile_level(stage, tile, slice, stage.first + 1u);
  uint2 extent = t.needed - min(t.begin, t.needed);
  uint2 columns = onepass_columns(part, 32u / uint(ONEPASS_COLUMN_PASSES), extent.x);
  extent.x = min(columns.y + 1u, extent.x) - columns.x;
  uint2 source_size = onepass_level_size2(ONEPASS_PARAMS.size, stage.first);
  uint2 kept =
      uint2(onepass_reads_base(stage.first) ? 0u : onepass_intermediate_offset(stage.first, slice), source_size.x);
  for (uint begin = 0u; begin < extent.x * extent.y; begin += 256u) {
    uint i = begin + lane;
    if (i >= extent.x * extent.y) continue;
    uint2 offset = uint2(i % extent.x, i / extent.x);
    uint2 texel = t.begin + uint2(columns.x, 0u) + offset;
    OnepassTaps x = onepass_taps(ONEPASS_PARAMS.size.x, stage.first, texel.x);
    OnepassTaps y = onepass_taps(ONEPASS_PARAMS.size.y, stage.first, texel.y);
    ONEPASS_ELEMENT value;
    if (!onepass_reads_base(stage.first)) {
      value = onepass_reduce_intermediate(x, y, kept);
    } else if (onepass_base_halves()) {
      value = onepass_load_base_quad(texel, slice);
    } else {
      value = onepass_reduce_base(x, y, uint2(slice, 0u));
    }
    s_a[offset.y * ONEPASS_A_STRIDE + offset.x] = value;
    if (columns.x + offset.x < columns.y) onepass_emit(t, texel, slice, value);
  }
}

// Makes the next level of a stage from one shared array into the other; of the stage's second level only the columns of
// pass `part`.
void onepass_next_level(OnepassStage stage, uint2 tile, uint slice, uint level, uint part, uint lane) {
  OnepassTileLevel t = onepass_tile_level(stage, tile, slice, level);
  uint2 extent = t.needed - min(t.begin, t.needed);
  uint2 finer_begin = tile * (64u >> (level - 1u - stage.first));
  bool from_a = ((level - stage.first) & 1u) == 0u;
  uint skipped = 0u;
  if (level == stage.first + 2u) {
    uint2 columns = onepass_columns(part, 16u / uint(ONEPASS_COLUMN_PASSES), extent.x);
    skipped = columns.x;
    extent.x = columns.y - columns.x;
    finer_begin.x += 2u * skipped;
  }
  for (uint begin = 0u; begin < extent.x * extent.y; begin += 256u) {
    uint i = begin + lane;
    if (i >= extent.x * extent.y) continue;
    uint2 offset = uint2(skipped + i % extent.x, i / extent.x);
    uint2 texel = t.begin + offset;
    OnepassTaps x = onepass_taps(ONEPASS_PARAMS.size.x, level - 1u, texel.x);
    OnepassTaps y = onepass_taps(ONEPASS_PARAMS.size.y, level - 1u, texel.y);
    ONEPASS_ELEMENT value;
    if (from_a) {
      value = onepass_reduce_a(x, y, finer_begin);
      s_b[offset.y * ONEPASS_B_STRIDE + offset.x] = value;
    } else {
      value = onepass_reduce_b(x, y, finer_begin);
      s_a[offset.y * ONEPASS_A_STRIDE + offset.x] = value;
    }
    onepass_emit(t, texel, slice, value);
  }
}

// Makes the first one or two levels of a tile and returns their number.
uint onepass_fine_levels(OnepassStage stage, uint2 tile, uint slice, uint lane) {
  for (uint part = 0u; part < uint(ONEPASS_COLUMN_PASSES); ++part) {
    onepass_group_barrier();  // s_a is no longer read
    onepass_first_level(stage, tile, slice, part, lane);
    onepass_group_barrier();  // the pass is complete
    if (stage.depth > 1u) onepass_next_level(stage, tile, slice, stage.first + 2u, part, lane);
  }
  return min(stage.depth, 2u);
}

/// Makes all levels of one tile of a general stage.
void onepass_general_tile(OnepassStage stage, uint2 tile, uint slice, uint lane) {
  uint done = onepass_fine_levels(stage, tile, slice, lane);
  for (uint step = done + 1u; step <= stage.depth; ++step) {
    onepass_group_barrier();  // the finer level is complete, and the array to write is no longer read
    onepass_next_level(stage, tile, slice, stage.first + step, 0u, lane);
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_GENERAL_GLSL_
