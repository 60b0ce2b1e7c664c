// pyramid.glsl: a whole chain of levels in one dispatch, for any size, any footprint, any number of slices.
//
// The chain is made in stages. Workgroups of 256 invocations each own a tile of a stage's finest level and make the next
// few levels of it: up to six where every level halves exactly, three where a tile needs texels of its neighbours. The
// coarsest of them goes, unrounded, to a scratch buffer: the hand-over. The workgroup that arrives last among those a
// coarser tile depends on goes on with that coarser tile; nobody waits, unless ONEPASS_STAGE_WAITS says so. The last stage
// is a single tile.
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
//     ONEPASS_ELEMENT                what a texel is inside the kernel: a number or a vector (float, float2, float4, half
//                                    vectors, uint2), or a struct where ONEPASS_SUBGROUP is 0
//     ONEPASS_FOOTPRINT              ONEPASS_ALIGNED, ONEPASS_COVERING or ONEPASS_EDGE (numbers in pyramid_params.h)
//     ONEPASS_PARAMS                 an expression of type PyramidParams; onepass/shader_setup.h fills it
//     ONEPASS_COUNTERS(i)            number i of a coherent buffer of uint, zeroes before the first dispatch
//     ONEPASS_KEPT(i)                element i of a coherent buffer of ONEPASS_ELEMENT: the hand-over
//     ONEPASS_REDUCTION              ONEPASS_MEAN, _MIN, _MAX or _MIN_MAX; or not, and your own
//         ONEPASS_ELEMENT onepass_reduce2(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, float2 weight)
//         ONEPASS_ELEMENT onepass_reduce3(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, ONEPASS_ELEMENT c, float3 weight)
//                                    weights are those of a mean and add up to 1: ignore them where texels join otherwise.
//                                    Define ONEPASS_REDUCE3_NESTS for onepass_reduce2 of two and then of the third
// and these functions:
//     ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice)       one texel of the base, inside it
//     void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value)
// These have defaults; define the macro and the function for your own:
//     ONEPASS_SUBGROUP 1             subgroup (wave) operations; 0: shared memory only
//     ONEPASS_COLUMN_PASSES 2, ONEPASS_STREAM_ROWS 2     for elements of 16 bytes: less shared memory, fewer registers; 4 rows
//                                    where the texels of the base have 16 bytes too
//     ONEPASS_STREAM_PAIRS true      for texels of 8 bytes and more, where footprints are ONEPASS_COVERING: faster loads
//     ONEPASS_SCALAR                 what weights are turned into: float
//     ONEPASS_OWN_LOAD_BLOCK         void onepass_load_base_block(uint2 texel, uint slice, out ONEPASS_ELEMENT a, b, c, d)
//                                      2x2 texels at texel, clamped to the base: a gather
//     ONEPASS_OWN_LOAD_QUAD          ONEPASS_ELEMENT onepass_load_base_quad(uint2 texel, uint slice)
//                                      reduction of the 2x2 base texels at 2 * texel; any value beyond the base
//     ONEPASS_OWN_SCRATCH            ONEPASS_ELEMENT onepass_load_kept(uint index)
//                                    void onepass_store_kept(uint index, ONEPASS_ELEMENT value)
//                                    uint onepass_increment(uint counter)       atomic; returns the value before
//                                    void onepass_reset(uint counter)           counter = 0
//     ONEPASS_MAIL 1                 single texels are handed over without fences, for which devices take long, where
//                                    stage_kinds has ONEPASS_STAGE_POSTS:
//                                    uint onepass_turn(uint slice)                0 or 1, what was set last; 0 at first
//                                    void onepass_set_turn(uint slice, uint turn)
//                                    void onepass_post(uint slice, uint turn, uint place, ONEPASS_ELEMENT value)
//                                      stores it, sealed, and empties the place of the other turn
//                                    bool onepass_receive(uint slice, uint turn, uint place, out ONEPASS_ELEMENT value)
//                                      reads anew whenever it is called, by volatile or atomically; false: the place
//                                      is empty
//                                    With ONEPASS_STAGE_WAITS, who begins last waits for the others: shorter, but only for
//                                    devices that never hold back a workgroup that has begun
//     ONEPASS_WAITS_TOGETHER true    lanes of a subgroup wait for the texels of all of them, as lavapipe must; false otherwise
//     ONEPASS_OWN_TOUCH              void onepass_touch_level(uint level)       called before a level is stored to
//     ONEPASS_OWN_DELAY              void onepass_delay(uint2 tile)             tests provoke late arrivals here
// and, for less code and fewer registers, as specialization constants:
//     ONEPASS_STAGE_COUNT, ONEPASS_STAGE_FIRSTS, ONEPASS_STAGE_DEPTHS, ONEPASS_STAGE_KINDS, ONEPASS_PARTIAL
//                                    as in PyramidParams, where they come from otherwise
//     ONEPASS_HAS_GENERAL            may a stage be general? true otherwise
//     ONEPASS_PLAIN_ONLY 1           a macro, for less code still: every stage in stage_kinds is ONEPASS_STAGE_PLAIN, as all are
//                                    of 4096x4096 but not of 1280x720; levels of others are not made
// then call onepass_pyramid(gl_WorkGroupID) from a main() of local size 256x1x1. docs/shaders/pyramid.md has a shader, and
// what the program around it owes. In HLSL include pyramid.hlsl.
//
// Loops that a workgroup runs together have uniform bounds and no divergent exit: Mesa 22's lavapipe loses lanes after
// such an exit where loops are nested. The loop that waits for posted texels has one, unless ONEPASS_WAITS_TOGETHER is true.
#ifndef ONEPASS_PYRAMID_GLSL_
#define ONEPASS_PYRAMID_GLSL_

#include "onepass/pyramid_callbacks.glsl"
#include "onepass/pyramid_general.glsl"
#if ONEPASS_SUBGROUP
#include "onepass/pyramid_plain.glsl"
#if !ONEPASS_PLAIN_ONLY
#include "onepass/pyramid_stream.glsl"
#endif
#endif

#if ONEPASS_SUBGROUP
// A workgroup's share of a plain stage 0.
void onepass_plain_base(uint2 tile, uint slice, uint lane) {
  OnepassStage stage = onepass_stage(0u);
  uint run = ONEPASS_PARAMS.base_run;
  uint kept = ONEPASS_STAGE_COUNT > 1u ? onepass_hand_over(1u, slice) : ONEPASS_NOT_KEPT;
  uint tiles = min(run, onepass_tile_count(stage).x - tile.x * run);
  if (!onepass_hands_over_one()) onepass_prepare_count(0u, tile, slice, lane);
  uint turn = 0u;
#if ONEPASS_MAIL
  if (onepass_posts() && lane == 0u) {
    turn = onepass_turn(slice);
    s_turn = turn;  // s_next is behind a barrier, and so is this
  }
#endif
  uint2 first = uint2(tile.x * run, tile.y);
  ONEPASS_ELEMENT value[4];
  onepass_plain_load(first, slice, lane, value);
  if (onepass_waits()) {  // while loads are under way
    if (lane == 0u) onepass_count_in_one(tile, slice);
    onepass_delay(tile);
  }
  for (uint i = 0u; i < tiles; ++i) {
    onepass_plain_base_tile(stage.depth, first + uint2(i, 0u), slice, kept, turn, i & 1u, i + 1u < tiles, lane, value);
  }
}
#endif

// After the last stage: the next dispatch posts to the other places.
void onepass_end_turn(uint index, uint slice, uint lane) {
#if ONEPASS_MAIL
  if (onepass_posts() && index + 1u == ONEPASS_STAGE_COUNT && lane == 0u) onepass_set_turn(slice, s_turn ^ 1u);
#endif
}

// Any other tile of a stage.
void onepass_tile(uint index, uint2 tile, uint slice, uint lane) {
  OnepassStage stage = onepass_stage(index);
  if (stage.kind != ONEPASS_STAGE_STREAM && index + 1u < ONEPASS_STAGE_COUNT) onepass_prepare_count(index, tile, slice, lane);
#if ONEPASS_SUBGROUP
  uint from = onepass_hand_over(index, slice);
  uint kept = index + 1u < ONEPASS_STAGE_COUNT ? onepass_hand_over(index + 1u, slice) : ONEPASS_NOT_KEPT;
#if !ONEPASS_PLAIN_ONLY
  if (onepass_has_kind(0u, ONEPASS_STAGE_STREAM) && stage.kind == ONEPASS_STAGE_STREAM) {
    onepass_stream_tile(index, tile, slice, from, kept, lane);
    return;
  }
#endif
  if (onepass_has_kind(1u, ONEPASS_STAGE_PLAIN) && stage.kind == ONEPASS_STAGE_PLAIN) {
    onepass_plain_kept_tile(stage, tile, slice, from, index == 1u && onepass_posts(), kept, lane);
    return;
  }
#endif
#if !ONEPASS_PLAIN_ONLY
  if (ONEPASS_HAS_GENERAL) onepass_general_tile(stage, tile, slice, lane);
#endif
}

/// The kernel: one tile of stage 0, then every coarser tile this workgroup completes.
void onepass_pyramid(uint3 group) {
  uint lane = onepass_lane_index();
  uint2 tile = group.xy + onepass_active_begin(0u);
  uint slice = group.z;
  uint index = 0u;
  bool more = true;
  if (!onepass_hands_over_one()) {
    if (lane == 0u) s_stack_size = 0u;
    onepass_group_barrier();  // the stack is empty
  }
  onepass_delay(tile);
#if ONEPASS_SUBGROUP
  if (onepass_stage(0u).kind == ONEPASS_STAGE_PLAIN) {
    onepass_plain_base(tile, slice, lane);
    if (ONEPASS_STAGE_COUNT == 1u) return;
    onepass_delay(tile);
    // Not as operands of ?: HLSL evaluates both.
    if (onepass_hands_over_one()) {
      more = onepass_arrive_one(tile, slice, lane);
    } else {
      more = onepass_arrive(0u, lane);
    }
    index = onepass_unpack_stage(s_next);
    tile = onepass_unpack_tile(s_next);
    if (ONEPASS_STAGE_COUNT <= 2u && onepass_hands_over_one()) {  // to one tile at most
      if (more) onepass_tile(1u, tile, slice, lane);
      if (more) onepass_end_turn(1u, slice, lane);
      return;
    }
  }
#endif
  // The other stages share their code with stage 0: it is in the instruction cache when the last workgroup comes to the
  // coarse stages and everything waits for it.
  while (more) {
    onepass_tile(index, tile, slice, lane);
    onepass_delay(tile);
    onepass_end_turn(index, slice, lane);
    more = onepass_arrive(index, lane);
    index = onepass_unpack_stage(s_next);
    tile = onepass_unpack_tile(s_next);
  }
}

#endif  // ONEPASS_PYRAMID_GLSL_
