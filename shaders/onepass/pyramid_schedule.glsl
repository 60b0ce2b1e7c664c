// pyramid_schedule.glsl: the arithmetic of stages and tiles: which tile makes which texels, its halo, its counter, and
// its parents: the tiles of the next stage that read its texels. These are the tiles that it overlaps, and those to the
// left and above whose halo it overlaps.
//
// The arithmetic of an axis is in pyramid_layout.h, from which onepass/shader_setup.h computes the dispatch.
#ifndef ONEPASS_PYRAMID_SCHEDULE_GLSL_
#define ONEPASS_PYRAMID_SCHEDULE_GLSL_

#include "onepass/pyramid_levels.glsl"
#include "onepass/prelude_names.glsl"

// Both axes of ONEPASS_DIVIDE_().
uint2 onepass_divide(uint2 a, uint2 b) { return uint2((float2(a) + 0.5) * (1.0 / float2(b))); }

struct OnepassStage {
  uint first;  // its finest level, which it reads
  uint depth;  // it makes levels first + 1 .. first + depth
  uint kind;   // one of ONEPASS_STAGE_
};

OnepassStage onepass_stage(uint index) {
  OnepassStage stage;
  stage.first = onepass_stage_bits(ONEPASS_STAGE_FIRSTS, index);
  stage.depth = onepass_stage_bits(ONEPASS_STAGE_DEPTHS, index);
  if (stage.depth == 0u) stage.depth = ONEPASS_PARAMS.last_level - stage.first;
  stage.kind = onepass_stage_bits(ONEPASS_STAGE_KINDS, index);
  return stage;
}

// True if the level that a stage reads is the base. The second of two dispatches has no code for it.
bool onepass_reads_base(uint first) { return ONEPASS_STAGES != ONEPASS_STAGES_LATER && first == 0u; }

// True if stage `from` or a later one is of kind `kind`. Known at compile time if the kinds are.
bool onepass_has_kind(uint from, uint kind) {
  bool has = false;
  ONEPASS_UNROLL for (uint i = 0u; i < uint(ONEPASS_MAX_STAGES); ++i) {
    has = has || (i >= from && i < ONEPASS_STAGE_COUNT && onepass_stage(i).kind == kind);
  }
  return has;
}

// True if a tile of stage 0 contributes a single texel, to a 2:1 stage. Invocation 0 stores it, one parent reads it.
bool onepass_exchanges_one_texel() {
  return ONEPASS_STAGE_COUNT > 1u && onepass_stage(0u).depth == 6u &&
         onepass_stage(1u).kind == ONEPASS_STAGE_TWO_TO_ONE;
}

// Texels per tile of a later stage's last level; of the third level for a sliding-window stage.
uint2 onepass_made(OnepassStage stage) {
  uint lanes = onepass_subgroup_size();
  return uint2(onepass_made_x(stage.kind, stage.depth, stage.first, lanes, ONEPASS_PARAMS.size.x),
               onepass_made_y(stage.kind, stage.depth, lanes));
}

// Texels per tile of the stage's finest level, without the halo.
uint2 onepass_span(OnepassStage stage) {
  uint2 made = onepass_made(stage);
  return uint2(onepass_span_of(stage.kind, made.x), onepass_span_of(stage.kind, made.y));
}

uint2 onepass_base_made() { return uint2(ONEPASS_PARAMS.base_made & 0xFFFFu, ONEPASS_PARAMS.base_made >> 16); }

// Texels of `level` that a tile reads beyond its own; `own_end` is the end of its texels of the stage's last level.
uint2 onepass_halo(OnepassStage stage, uint level, uint2 own_end) {
  uint last = stage.first + stage.depth;
  return uint2(onepass_halo_texels(ONEPASS_FOOTPRINT, ONEPASS_PARAMS.size.x, level, last, own_end.x),
               onepass_halo_texels(ONEPASS_FOOTPRINT, ONEPASS_PARAMS.size.y, level, last, own_end.y));
}

// Number of tiles of a later stage.
uint2 onepass_tile_count(OnepassStage stage) {
  uint2 made = onepass_made(stage);
  return uint2(onepass_tiles_of(stage.kind, ONEPASS_PARAMS.size.x, stage.first, made.x),
               onepass_tiles_of(stage.kind, ONEPASS_PARAMS.size.y, stage.first, made.y));
}

uint2 onepass_active_begin(uint index) {
  uint packed = ONEPASS_PARAMS.active_tiles[index].x;
  return uint2(packed & 0xFFFFu, packed >> 16);
}
uint2 onepass_active_end(uint index) {
  uint packed = ONEPASS_PARAMS.active_tiles[index].y;
  return uint2(packed & 0xFFFFu, packed >> 16);
}

// Index of the first counter of a stage above 0; each tile has one.
uint onepass_counter_offset(uint index, uint slice) {
  uint offset = slice * ONEPASS_PARAMS.counter_stride;
  for (uint i = 1u; i < index; ++i) {
    uint2 count = onepass_tile_count(onepass_stage(i));
    offset += count.x * count.y;
  }
  return offset;
}

#define ONEPASS_NOT_INTERMEDIATE 0xFFFFFFFFu  // instead of an index in the exchange buffer

// Index in the exchange buffer of the level that a stage reads. max(): HLSL evaluates both operands of ?:.
uint onepass_intermediate_begin(uint index, uint slice) {
  return slice * ONEPASS_PARAMS.intermediate_stride +
         (index > 1u ? ONEPASS_PARAMS.intermediate_begin[max(index, 2u) - 2u] : 0u);
}

uint onepass_pack(uint index, uint2 tile) { return index << 24 | tile.y << 12 | tile.x; }
uint onepass_unpack_stage(uint item) { return item >> 24; }
uint2 onepass_unpack_tile(uint item) { return uint2(item & 0xFFFu, (item >> 12) & 0xFFFu); }

// Per axis, the number of active tiles of stage `index`, each of `width` texels, that overlap [begin, end).
uint2 onepass_contributors(uint2 begin, uint2 end, uint2 width, uint index) {
  uint2 from = max(onepass_divide(begin, width), onepass_active_begin(index));
  uint2 to = min(onepass_divide(end + width - 1u, width), onepass_active_end(index));
  return to - min(from, to);
}

// For each of the nine invocations that count: counter, number of contributors (0: no parent), packed parent.
groupshared uint3 s_parents[9];

// The first invocation that counts: a workgroup's last ones have the least other work.
#define ONEPASS_COUNTING_INDEX 240u

/// Finds the parents of `tile` of stage `index`. The whole workgroup calls it.
void onepass_find_parents(uint index, uint2 tile, uint slice, uint lane) {
  uint which = lane - ONEPASS_COUNTING_INDEX;
  if (which >= 9u || index + 1u >= ONEPASS_STAGE_COUNT || ONEPASS_STAGES == ONEPASS_STAGES_BASE) return;
  uint2 width = index == 0u ? onepass_base_made() : onepass_made(onepass_stage(index));
  // The coarser tile that this one begins in, and its eight neighbours.
  OnepassStage coarser = onepass_stage(index + 1u);
  uint2 count = onepass_tile_count(coarser);
  uint2 span = onepass_span(coarser);
  uint2 parent = onepass_divide(tile * width, span) + uint2(which % 3u, which / 3u) - 1u;  // 0 - 1 wraps beyond count
  uint2 begin = parent * span;
  uint2 end = begin + span + onepass_halo(coarser, coarser.first, (parent + 1u) * (64u >> coarser.depth));
  uint2 contributors = onepass_contributors(begin, end, width, index);
  uint counter = onepass_counter_offset(index + 1u, slice) + parent.y * count.x + parent.x;
  bool reads = all(onepass_less(parent, count)) && all(onepass_less(tile * width, end)) &&
               all(onepass_greater((tile + 1u) * width, begin));
  s_parents[which] = uint3(counter, reads ? contributors.x * contributors.y : 0u, onepass_pack(index + 1u, parent));
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_SCHEDULE_GLSL_
