// pyramid.glsl: a whole chain of levels in one dispatch, for any size, any footprint, any number of slices.
//
// The chain is made in stages. Workgroups of 256 invocations each own a tile of 64x64 texels of a stage's finest level
// and make the next few levels (three; more where a tile needs nothing from its neighbours) in registers and shared
// memory. The coarsest of them goes, unrounded, to a scratch buffer: the hand-over. The workgroup that arrives last among
// those a coarser tile depends on goes on with that coarser tile; nobody waits. The last stage is a single tile.
//
//     stage 0: level 0 -> 1..3      stage 1: level 3 -> 4..6     stage 2: level 6 -> 7..
//     +----+----+----+----+
//     |tile|    |    |    |          +---------+
//     +----+----+----+----+   last   |         |     last
//     |    |    |    |    |  ------> |  tile   |   ------>  one tile
//     +----+----+----+----+ arriver  |         |   arriver
//
// At odd sizes a tile reads up to 7 texels past its right and bottom edge, so that it can finish its own texels.
//
// Define before including:
//     ONEPASS_ELEMENT                what a texel is inside the kernel: float, float2, float4 (or half vectors)
//     ONEPASS_FOOTPRINT              ONEPASS_ALIGNED, ONEPASS_COVERING or ONEPASS_EDGE (numbers in pyramid_params.h)
//     ONEPASS_PARAMS                 an expression of type PyramidParams
// and these functions:
//     ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice)       one texel of the base, inside it
//     ONEPASS_ELEMENT onepass_load_base_quad(uint2 texel, uint slice)  reduction of the 2x2 base texels at 2 * texel
//     ONEPASS_ELEMENT onepass_reduce2(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, float2 weight)
//     ONEPASS_ELEMENT onepass_reduce3(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, ONEPASS_ELEMENT c, float3 weight)
//     void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value)
//     ONEPASS_ELEMENT onepass_load_kept(uint index)                    the hand-over buffer, device-coherent
//     void onepass_store_kept(uint index, ONEPASS_ELEMENT value)
//     uint onepass_increment(uint counter)                             atomic; returns the value before
//     void onepass_reset(uint counter)                                 counter = 0
//     void onepass_delay(uint2 tile)                                   empty; tests provoke late arrivals here
// then call onepass_pyramid(gl_WorkGroupID) from a main() of local size 256x1x1.
//
// Loops that a workgroup runs together have uniform bounds and no divergent exit: Mesa 22's lavapipe loses lanes after
// such an exit where loops are nested.
#ifndef ONEPASS_PYRAMID_GLSL_
#define ONEPASS_PYRAMID_GLSL_

#include "onepass/pyramid_levels.glsl"
#include "onepass/pyramid_schedule.glsl"

// Wide elements are worked on in two strips of columns, because shared memory is what limits how many workgroups run at a
// time: 17 instead of 26 KB for float4.
#ifndef ONEPASS_STRIPS
#define ONEPASS_STRIPS 1
#endif
#if ONEPASS_STRIPS == 2
#define ONEPASS_A_STRIDE 20u
#else
#define ONEPASS_A_STRIDE 36u
#endif
#define ONEPASS_B_STRIDE 18u

// One level of a tile and its halo, twice: a level is reduced from one array into the other.
//     odd distance from the stage's finest level -> s_a (the first level: one strip of it), even -> s_b
groupshared ONEPASS_ELEMENT s_a[ONEPASS_A_STRIDE * 36u];
groupshared ONEPASS_ELEMENT s_b[ONEPASS_B_STRIDE * 18u];

ONEPASS_ELEMENT onepass_reduce_quad(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, ONEPASS_ELEMENT c, ONEPASS_ELEMENT d) {
  const float2 half_each = float2(0.5, 0.5);
  return onepass_reduce2(onepass_reduce2(a, b, half_each), onepass_reduce2(c, d, half_each), half_each);
}

// Where a tap is read from: `at` is texel coordinates, `context` says of what.
#define ONEPASS_LOAD_BASE(at, context) onepass_load_base(at, context.x)
#define ONEPASS_LOAD_KEPT(at, context) onepass_load_kept(context.x + (at).y * context.y + (at).x)
#define ONEPASS_LOAD_A(at, context) s_a[((at).y - context.y) * ONEPASS_A_STRIDE + (at).x - context.x]
#define ONEPASS_LOAD_B(at, context) s_b[((at).y - context.y) * ONEPASS_B_STRIDE + (at).x - context.x]

// Defines NAME(x, y, context): the reduction of two or three taps per axis, rows first.
#define ONEPASS_DEFINE_REDUCE(NAME, LOAD)                                                                  \
  ONEPASS_ELEMENT NAME##_row(OnepassTaps x, uint row, uint2 context) {                                     \
    ONEPASS_ELEMENT a = LOAD(uint2(x.at.x, row), context);                                                 \
    ONEPASS_ELEMENT b = LOAD(uint2(x.at.y, row), context);                                                 \
    if (!x.three) return onepass_reduce2(a, b, x.weight.xy);                                               \
    return onepass_reduce3(a, b, LOAD(uint2(x.at.z, row), context), x.weight);                             \
  }                                                                                                        \
  ONEPASS_ELEMENT NAME(OnepassTaps x, OnepassTaps y, uint2 context) {                                      \
    ONEPASS_ELEMENT a = NAME##_row(x, y.at.x, context);                                                    \
    ONEPASS_ELEMENT b = NAME##_row(x, y.at.y, context);                                                    \
    if (!y.three) return onepass_reduce2(a, b, y.weight.xy);                                               \
    return onepass_reduce3(a, b, NAME##_row(x, y.at.z, context), y.weight);                                \
  }

ONEPASS_DEFINE_REDUCE(onepass_reduce_base, ONEPASS_LOAD_BASE)
ONEPASS_DEFINE_REDUCE(onepass_reduce_kept, ONEPASS_LOAD_KEPT)
ONEPASS_DEFINE_REDUCE(onepass_reduce_a, ONEPASS_LOAD_A)
ONEPASS_DEFINE_REDUCE(onepass_reduce_b, ONEPASS_LOAD_B)

// What a tile does on one level: it computes [begin, needed), owns [begin, own), and stores what lies in [store_begin,
// store_end): the owned texels that the changed region affects.
struct OnepassTileLevel {
  uint level;
  uint2 begin;
  uint2 own;
  uint2 needed;
  uint2 store_begin;
  uint2 store_end;
  uint kept;   // index of texel (0, 0) in the hand-over buffer
  uint width;  // of the level
  bool keep;   // owned texels go to the hand-over buffer
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
  uint4 affected = onepass_affected_rect(level);
  t.store_begin = max(t.begin, affected.xy);
  t.store_end = min(t.own, affected.zw);
  t.keep = onepass_is_kept(level);
  t.width = size.x;
  t.kept = t.keep ? onepass_kept_offset(level, slice) : 0u;
  return t;
}

// Hands a finished texel to whom it concerns: the image, and the coarser stage.
void onepass_emit(OnepassTileLevel t, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  if (all(greaterThanEqual(texel, t.store_begin)) && all(lessThan(texel, t.store_end))) {
    onepass_store_level(t.level, texel, slice, value);
  }
  if (t.keep && all(lessThan(texel, t.own))) onepass_store_kept(t.kept + texel.y * t.width + texel.x, value);
}

// Columns of a level, counted from the tile's first, that belong to a strip: begin and end. `width` is that of a strip;
// the last takes the halo too.
uint2 onepass_strip(uint strip, uint width, uint columns) {
  uint begin = min(strip * width, columns);
  return uint2(begin, strip + 1u < uint(ONEPASS_STRIPS) ? min(begin + width, columns) : columns);
}

// The first level of a stage, from the base or the hand-over buffer, into s_a: one strip, and the column after it that the
// next level's last texels take as well.
void onepass_first_level(OnepassStage stage, uint2 tile, uint slice, uint strip, uint lane) {
  OnepassTileLevel t = onepass_tile_level(stage, tile, slice, stage.first + 1u);
  uint2 extent = t.needed - min(t.begin, t.needed);
  uint2 columns = onepass_strip(strip, 32u / uint(ONEPASS_STRIPS), extent.x);
  extent.x = min(columns.y + 1u, extent.x) - columns.x;
  uint2 source_size = onepass_level_size2(ONEPASS_PARAMS.size, stage.first);
  uint2 kept = uint2(stage.first > 0u ? onepass_kept_offset(stage.first, slice) : 0u, source_size.x);
  for (uint begin = 0u; begin < extent.x * extent.y; begin += 256u) {
    uint i = begin + lane;
    if (i >= extent.x * extent.y) continue;
    uint2 offset = uint2(i % extent.x, i / extent.x);
    uint2 texel = t.begin + uint2(columns.x, 0u) + offset;
    OnepassTaps x = onepass_taps(ONEPASS_PARAMS.size.x, stage.first, texel.x);
    OnepassTaps y = onepass_taps(ONEPASS_PARAMS.size.y, stage.first, texel.y);
    ONEPASS_ELEMENT value;
    if (stage.first > 0u) {
      value = onepass_reduce_kept(x, y, kept);
    } else if (stage.quads) {
      value = onepass_load_base_quad(texel, slice);
    } else {
      value = onepass_reduce_base(x, y, uint2(slice, 0u));
    }
    s_a[offset.y * ONEPASS_A_STRIDE + offset.x] = value;
    if (columns.x + offset.x < columns.y) onepass_emit(t, texel, slice, value);
  }
}

// A further level of a stage, from one shared array into the other; of the second level one strip.
void onepass_next_level(OnepassStage stage, uint2 tile, uint slice, uint level, uint strip, uint lane) {
  OnepassTileLevel t = onepass_tile_level(stage, tile, slice, level);
  uint2 extent = t.needed - min(t.begin, t.needed);
  uint2 finer_begin = tile * (64u >> (level - 1u - stage.first));
  bool from_a = ((level - stage.first) & 1u) == 0u;
  uint skipped = 0u;
  if (level == stage.first + 2u) {
    uint2 columns = onepass_strip(strip, 16u / uint(ONEPASS_STRIPS), extent.x);
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

#if ONEPASS_SUBGROUP
// The first three levels of a plain tile (every texel is exactly 2x2 finer ones) without leaving the registers.
//
// A quad of lanes holds 2x2 neighbours of level first+1, in Morton order over 16x16 lanes; a lane holds four such texels,
// 16 apart, so that a store of neighbouring lanes is contiguous. Lane q of a quad goes on with quadrant q.
// With fewer than 16 lanes a subgroup the third level is left to onepass_next_level.
uint onepass_plain_levels(OnepassStage stage, uint2 tile, uint slice, uint lane) {
  uint2 at = uint2(bitfieldExtract(lane, 0, 1) | bitfieldExtract(lane, 2, 1) << 1 | bitfieldExtract(lane, 4, 1) << 2 |
                       bitfieldExtract(lane, 6, 1) << 3,
                   bitfieldExtract(lane, 1, 1) | bitfieldExtract(lane, 3, 1) << 1 | bitfieldExtract(lane, 5, 1) << 2 |
                       bitfieldExtract(lane, 7, 1) << 3);
  uint2 last = onepass_level_size2(ONEPASS_PARAMS.size, stage.first + 1u) - 1u;
  uint2 source_size = onepass_level_size2(ONEPASS_PARAMS.size, stage.first);
  uint kept = stage.first > 0u ? onepass_kept_offset(stage.first, slice) : 0u;
  ONEPASS_ELEMENT value[4];
  ONEPASS_UNROLL for (uint q = 0u; q < 4u; ++q) {
    // Lanes beyond the image repeat its last texels; nothing of theirs is stored.
    uint2 texel = min(tile * 32u + at + 16u * uint2(q & 1u, q >> 1u), last);
    if (stage.first == 0u) {
      value[q] = onepass_load_base_quad(texel, slice);
    } else {
      uint from = kept + 2u * (texel.y * source_size.x + texel.x);
      value[q] = onepass_reduce_quad(onepass_load_kept(from), onepass_load_kept(from + 1u),
                                     onepass_load_kept(from + source_size.x), onepass_load_kept(from + source_size.x + 1u));
    }
  }
  OnepassTileLevel one = onepass_tile_level(stage, tile, slice, stage.first + 1u);
  ONEPASS_UNROLL for (uint q = 0u; q < 4u; ++q) {
    onepass_emit(one, tile * 32u + at + 16u * uint2(q & 1u, q >> 1u), slice, value[q]);
  }

  ONEPASS_ELEMENT mine;
  ONEPASS_UNROLL for (uint q = 0u; q < 4u; ++q) {
    ONEPASS_ELEMENT row = onepass_reduce2(value[q], onepass_quad_swap_x(value[q]), float2(0.5, 0.5));
    ONEPASS_ELEMENT quad = onepass_reduce2(row, onepass_quad_swap_y(row), float2(0.5, 0.5));
    if ((lane & 3u) == q) mine = quad;
  }
  uint2 quadrant = uint2(lane & 1u, (lane >> 1u) & 1u);
  uint2 offset = (at >> 1u) + 8u * quadrant;
  OnepassTileLevel two = onepass_tile_level(stage, tile, slice, stage.first + 2u);
  onepass_emit(two, tile * 16u + offset, slice, mine);
  if (onepass_subgroup_size() < 16u) {
    s_b[offset.y * ONEPASS_B_STRIDE + offset.x] = mine;
    return 2u;
  }

  ONEPASS_ELEMENT row = onepass_reduce2(mine, onepass_shuffle_xor(mine, 4u), float2(0.5, 0.5));
  mine = onepass_reduce2(row, onepass_shuffle_xor(row, 8u), float2(0.5, 0.5));
  if ((lane & 12u) == 0u) {
    offset = (at >> 2u) + 4u * quadrant;
    OnepassTileLevel three = onepass_tile_level(stage, tile, slice, stage.first + 3u);
    onepass_emit(three, tile * 8u + offset, slice, mine);
    if (stage.depth > 3u) s_a[offset.y * ONEPASS_A_STRIDE + offset.x] = mine;
  }
  return 3u;
}
#endif

/// The first one or two levels of a tile that is not plain; says how many.
uint onepass_fine_levels(OnepassStage stage, uint2 tile, uint slice, uint lane) {
  for (uint strip = 0u; strip < uint(ONEPASS_STRIPS); ++strip) {
    onepass_group_barrier();  // s_a's older content has been read
    onepass_first_level(stage, tile, slice, strip, lane);
    onepass_group_barrier();  // the strip is complete
    if (stage.depth > 1u) onepass_next_level(stage, tile, slice, stage.first + 2u, strip, lane);
  }
  return min(stage.depth, 2u);
}

/// All levels of one tile of one stage.
void onepass_tile(OnepassStage stage, uint2 tile, uint slice, uint lane) {
  uint done = 0u;
#if ONEPASS_SUBGROUP
  if (stage.plain) {
    done = onepass_plain_levels(stage, tile, slice, lane);
  } else
#endif
    done = onepass_fine_levels(stage, tile, slice, lane);
  for (uint step = done + 1u; step <= stage.depth; ++step) {
    onepass_group_barrier();  // the finer level is complete, and its array's older content has been read
    onepass_next_level(stage, tile, slice, stage.first + step, 0u, lane);
  }
}

/// The kernel: one tile of stage 0, then every coarser tile this workgroup completes.
void onepass_pyramid(uint3 group) {
  uint lane = onepass_lane_index();
  uint2 tile = group.xy + onepass_active_begin(0u);
  uint slice = group.z;
  uint index = 0u;
  onepass_delay(tile);
  bool more = true;
  do {
    onepass_tile(onepass_stage(index), tile, slice, lane);
    onepass_delay(tile);
    more = onepass_arrive(index, tile, slice, lane);
    index = onepass_unpack_stage(s_next);
    tile = onepass_unpack_tile(s_next);
  } while (more);
}

#endif  // ONEPASS_PYRAMID_GLSL_
