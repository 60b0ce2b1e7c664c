// pyramid.glsl: a whole chain of levels in one dispatch (or two), for any size, any footprint, any number of slices.
//
// The chain is made in stages. Workgroups of 256 invocations each own a tile of the level that a stage reads and make
// the next few levels of it: up to six where every level halves exactly, three where a tile needs texels of its
// neighbours. The coarsest of them is an intermediate level: its texels go unrounded to scratch memory, the exchange
// buffer. The last workgroup to finish among the contributors of a coarser tile reduces that tile. The last stage of a
// full chain is a single tile. workgroup_exchange.glsl has the protocols of this exchange: their state diagrams, and
// the assumptions of each about memory and forward progress.
//
//     stage 0: level 0 -> 1..3      stage 1: level 3 -> 4..6     stage 2: level 6 -> 7..
//     +----+----+----+----+
//     |tile|    |    |    |          +---------+
//     +----+----+----+----+  last to |         |  last to
//     |    |    |    |    |  ------> |  tile   |  ------>  one tile
//     +----+----+----+----+  finish  |         |  finish
//
// At odd sizes a tile reads up to 7 texels past its right and bottom edge, so that it can complete its own texels.
//
// Define before including:
//     ONEPASS_ELEMENT             type of a texel inside the kernel: a scalar or vector (float, float2, float4, half
//                                 vectors, uint2), or a struct where ONEPASS_SUBGROUP is 0
//     ONEPASS_FOOTPRINT           ONEPASS_ALIGNED, ONEPASS_COVERING or ONEPASS_EDGE (numbers in pyramid_params.h)
//     ONEPASS_REDUCTION           ONEPASS_MEAN, _MIN, _MAX or _MIN_MAX; your own: docs/shaders/custom_reduction.md
//     ONEPASS_PARAMS              an expression of type PyramidParams: onepass_pyramid_setup() of
//                                 onepass/shader_setup.h fills it, and computes workgroups and sizes of both buffers
//     ONEPASS_COUNTERS(i)         element i of a coherent buffer of uint, zero before the first dispatch
//     ONEPASS_INTERMEDIATE(i)     element i of a coherent buffer of ONEPASS_ELEMENT: the exchange buffer
// and these functions:
//     ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice)       one texel of the base, inside it
//     void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value)
// For speed:
//     ONEPASS_SUBGROUP 1          subgroup (wave) operations; default 0: shared memory only
//     ONEPASS_OWN_LOAD_BLOCK      void onepass_load_base_block(uint2 texel, uint slice, out ONEPASS_ELEMENT a, b, c, d)
//                                   2x2 texels at texel, clamped to the base: a gather
//     ONEPASS_OWN_LOAD_QUAD       ONEPASS_ELEMENT onepass_load_base_quad(uint2 texel, uint slice)
//                                   reduction of the 2x2 base texels at 2 * texel; any value beyond the base
//     ONEPASS_COLUMN_PASSES 2, ONEPASS_WINDOW_ROWS 2     for elements of 16 bytes: less shared memory, fewer registers;
//                                 4 rows where the texels of the base have 16 bytes too
//     ONEPASS_WINDOW_PAIRS true   for texels of 8 bytes and more with ONEPASS_COVERING: faster loads
//     ONEPASS_STAGE_COUNT, ONEPASS_STAGE_FIRSTS, ONEPASS_STAGE_DEPTHS, ONEPASS_STAGE_KINDS
//                                 as specialization constants: less code and fewer registers; default: the members of
//                                 PyramidParams of these names
// docs/shaders/pyramid.md has the rare ones: two dispatches, published texels, kernels for one kind of stage, own
// scratch memory, hooks of tests.
//
// Then call onepass_pyramid(gl_WorkGroupID) from a main() of local size 256x1x1. The page has a shader, and the
// barriers that the host program must record. In HLSL include pyramid.hlsl.
//
// Loops of a whole workgroup have uniform bounds and no divergent exit: after such an exit in nested loops Mesa 22's
// lavapipe no longer executes all invocations. The loop that polls for published texels has one, unless told otherwise.
#ifndef ONEPASS_PYRAMID_GLSL_
#define ONEPASS_PYRAMID_GLSL_

#include "onepass/pyramid_callbacks.glsl"
#include "onepass/pyramid_general.glsl"
#include "onepass/prelude_names.glsl"
#if ONEPASS_SUBGROUP
#if !ONEPASS_WINDOW_ONLY
#include "onepass/pyramid_two_to_one.glsl"
#include "onepass/prelude_names.glsl"
#endif
#if !ONEPASS_TWO_TO_ONE_ONLY && !defined(ONEPASS_OWN_REDUCE4)
#include "onepass/pyramid_last_tile.glsl"
#include "onepass/prelude_names.glsl"
#endif
#endif

#if ONEPASS_SUBGROUP && !ONEPASS_WINDOW_ONLY
// The tiles of a 2:1 stage 0 that one workgroup makes.
void onepass_two_to_one_base(uint2 tile, uint slice, uint lane) {
  OnepassStage stage = onepass_stage(0u);
  uint run = ONEPASS_PARAMS.base_run;
  uint kept = ONEPASS_STAGE_COUNT > 1u ? onepass_intermediate_begin(1u, slice) : ONEPASS_NOT_INTERMEDIATE;
  uint tiles = min(run, onepass_tile_count(stage).x - tile.x * run);
  uint parity = onepass_open_base(tile, slice, lane);
  uint2 first = uint2(tile.x * run, tile.y);
  ONEPASS_ELEMENT value[4];
  onepass_two_to_one_load(first, slice, lane, value);
  onepass_announce(tile, slice, lane);
  for (uint i = 0u; i < tiles; ++i) {
    onepass_two_to_one_base_tile(stage.depth, first + uint2(i, 0u), slice, kept, parity, i & 1u, i + 1u < tiles, lane,
                                 value);
  }
}
#endif

// A tile of a later stage, or of a stage 0 that is not 2:1.
void onepass_tile(uint index, uint2 tile, uint slice, uint lane) {
  OnepassStage stage = onepass_stage(index);
  if (stage.kind != ONEPASS_STAGE_SLIDING_WINDOW && index + 1u < ONEPASS_STAGE_COUNT) {
    onepass_find_parents(index, tile, slice, lane);
  }
#if ONEPASS_SUBGROUP
  uint from = onepass_intermediate_begin(index, slice);
  uint kept =
      index + 1u < ONEPASS_STAGE_COUNT ? onepass_intermediate_begin(index + 1u, slice) : ONEPASS_NOT_INTERMEDIATE;
#if !ONEPASS_TWO_TO_ONE_ONLY && !defined(ONEPASS_OWN_REDUCE4)
  if (onepass_has_kind(0u, ONEPASS_STAGE_SLIDING_WINDOW) && stage.kind == ONEPASS_STAGE_SLIDING_WINDOW) {
    if (onepass_is_last_tile(stage, index)) {
      onepass_last_tile(stage, slice, from, lane);
    } else {
      onepass_window_tile(index, tile, slice, from, kept, lane);
    }
    onepass_window_last_levels(stage, slice, lane);
    return;
  }
#endif
#if !ONEPASS_WINDOW_ONLY
  if (onepass_has_kind(1u, ONEPASS_STAGE_TWO_TO_ONE) && stage.kind == ONEPASS_STAGE_TWO_TO_ONE) {
    onepass_two_to_one_intermediate_tile(stage, tile, slice, from, index == 1u && onepass_publishes(), kept, lane);
    return;
  }
#endif
#endif
#if !ONEPASS_TWO_TO_ONE_ONLY && !ONEPASS_WINDOW_ONLY
  if (ONEPASS_HAS_GENERAL) onepass_general_tile(stage, tile, slice, lane);
#endif
}

/// The kernel: a workgroup makes its tiles of the first stage of the dispatch, then every coarser tile that it claims.
void onepass_pyramid(uint3 group) {
  bool base_only = ONEPASS_STAGES == ONEPASS_STAGES_BASE;
  bool later_only = ONEPASS_STAGES == ONEPASS_STAGES_LATER;
  uint lane = onepass_workgroup_index();
  uint index = later_only ? 1u : 0u;  // of the stage
  uint2 tile = group.xy + onepass_active_begin(index);
  uint slice = group.z;
  bool more = true;
#if ONEPASS_SUBGROUP
  if (base_only && ONEPASS_TILE_PARTS > 1u) {  // the workgroup's part of its tile
    lane += tile.y % ONEPASS_TILE_PARTS * (256u / ONEPASS_TILE_PARTS);
    tile.y /= ONEPASS_TILE_PARTS;
  }
#endif
  onepass_open_exchange(lane);
  onepass_delay(tile);
#if ONEPASS_SUBGROUP && !ONEPASS_WINDOW_ONLY
  if (!later_only && onepass_stage(0u).kind == ONEPASS_STAGE_TWO_TO_ONE) {
    onepass_two_to_one_base(tile, slice, lane);
    if (ONEPASS_STAGE_COUNT == 1u || base_only) return;
    onepass_delay(tile);
    more = onepass_arrive_base(tile, slice, lane);
    index = onepass_claimed_stage();
    tile = onepass_claimed_tile();
    if (ONEPASS_STAGE_COUNT <= 2u && onepass_exchanges_one_texel()) {  // at most one more tile, of the last stage
      if (!more) return;
      // Not onepass_tile(): its code for stages of all kinds would be in the kernel twice.
      onepass_two_to_one_intermediate_tile(onepass_stage(1u), tile, slice, onepass_intermediate_begin(1u, slice),
                                           onepass_publishes(), ONEPASS_NOT_INTERMEDIATE, lane);
      onepass_close_exchange(1u, slice, lane);
      return;
    }
  }
#endif
  // Later stages share their code with stage 0: it is in the instruction cache when only the last workgroup is left.
  while (more) {
    onepass_tile(index, tile, slice, lane);
    onepass_delay(tile);
    more = !base_only;
    if (more) {
      onepass_close_exchange(index, slice, lane);
      more = onepass_arrive(index, lane);
      index = onepass_claimed_stage();
      tile = onepass_claimed_tile();
    }
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_GLSL_
