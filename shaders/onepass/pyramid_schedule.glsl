// pyramid_schedule.glsl: which workgroup makes which tile: stages, halos, and the inter-workgroup exchange.
//
// Every tile of a stage above 0 has a counter. A workgroup that finishes a tile increments the counters of its parents,
// the coarser tiles that read its results: those that it overlaps, and those to the left and above whose halo it
// overlaps. The workgroup that completes a counter owns that parent tile. It keeps tiles that it owns on a small stack.
#ifndef ONEPASS_PYRAMID_SCHEDULE_GLSL_
#define ONEPASS_PYRAMID_SCHEDULE_GLSL_

#include "onepass/pyramid_levels.glsl"

groupshared uint s_stack[9 * ONEPASS_MAX_STAGES];
groupshared uint s_stack_size;
groupshared uint s_next;  // the next tile of this workgroup, packed
groupshared uint s_parity;  // buffer parity of the mailbox

// a / b, for a below 2^20 and b below 2^9. Integer division takes longer on a device.
uint2 onepass_divide(uint2 a, uint2 b) { return uint2((float2(a) + 0.5) * (1.0 / float2(b))); }

struct OnepassStage {
  uint first;  // its finest level, which it reads
  uint depth;  // it makes levels first + 1 .. first + depth
  uint kind;   // one of ONEPASS_STAGE_
};

OnepassStage onepass_stage(uint index) {
  OnepassStage stage;
  stage.first = (ONEPASS_STAGE_FIRSTS >> (4u * index)) & 15u;
  stage.depth = (ONEPASS_STAGE_DEPTHS >> (4u * index)) & 15u;
  stage.kind = (ONEPASS_STAGE_KINDS >> (4u * index)) & 15u;
  return stage;
}

// True if stage `from` or a later one is of kind `kind`. Known at compile time if the kinds are.
bool onepass_has_kind(uint from, uint kind) {
  bool has = false;
  ONEPASS_UNROLL for (uint i = 0u; i < uint(ONEPASS_MAX_STAGES); ++i) {
    has = has || (i >= from && i < ONEPASS_STAGE_COUNT && onepass_stage(i).kind == kind);
  }
  return has;
}

// Columns that a subgroup of `lanes` invocations makes of the third level of a sliding-window stage. It reads 2 * lanes
// columns; where levels are odd its last footprints lack their third texel.
uint onepass_window_columns(uint lanes, uint size, uint first) {
  return lanes / 4u - (((size >> first) & 7u) == 0u ? 0u : 1u);
}

// Texels per tile of a later stage's last level; of the third level for a sliding-window stage.
uint2 onepass_made(OnepassStage stage) {
  if (stage.kind == ONEPASS_STAGE_SLIDING_WINDOW) {
    uint lanes = onepass_subgroup_size();
    return uint2(onepass_window_columns(lanes, ONEPASS_PARAMS.size.x, stage.first), 256u / lanes);
  }
  uint side = 64u >> stage.depth;
  return uint2(side, side);
}

// Texels per tile of the stage's finest level, without the halo.
uint2 onepass_span(OnepassStage stage) {
  if (stage.kind == ONEPASS_STAGE_SLIDING_WINDOW) return 8u * onepass_made(stage);
  return uint2(64u, 64u);
}

uint2 onepass_base_made() { return uint2(ONEPASS_PARAMS.base_made & 0xFFFFu, ONEPASS_PARAMS.base_made >> 16); }

// Texels of `level` that a tile reads beyond its own along an axis; `own_end` is the end of its texels of the stage's
// last level. None for aligned; only in the last tile for edge.
uint onepass_halo_axis(uint size, OnepassStage stage, uint level, uint own_end) {
  if (ONEPASS_FOOTPRINT == ONEPASS_ALIGNED) return 0u;
  uint last = stage.first + stage.depth;
  if (ONEPASS_FOOTPRINT == ONEPASS_EDGE && own_end < onepass_level_size(size, last)) return 0u;
  uint tail = onepass_level_size(size, level) & ((1u << (last - level)) - 1u);
  // A tight footprint may end within a texel of `level`.
  if (ONEPASS_FOOTPRINT == ONEPASS_TIGHT) tail = ((size & ((1u << last) - 1u)) + (1u << level) - 1u) >> level;
  return tail;
}

uint2 onepass_halo(OnepassStage stage, uint level, uint2 own_end) {
  return uint2(onepass_halo_axis(ONEPASS_PARAMS.size.x, stage, level, own_end.x),
               onepass_halo_axis(ONEPASS_PARAMS.size.y, stage, level, own_end.y));
}

// Number of tiles of a later stage.
uint2 onepass_tile_count(OnepassStage stage) {
  if (stage.kind == ONEPASS_STAGE_SLIDING_WINDOW) {
    uint2 made = onepass_made(stage);
    return onepass_divide(onepass_level_size2(ONEPASS_PARAMS.size, stage.first + 3u) + made - 1u, made);
  }
  return (onepass_level_size2(ONEPASS_PARAMS.size, stage.first + 1u) + 31u) / 32u;
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
uint onepass_exchange_begin(uint index, uint slice) {
  return slice * ONEPASS_PARAMS.intermediate_stride + (index > 1u ? ONEPASS_PARAMS.intermediate_begin[max(index, 2u) - 2u] : 0u);
}

#define ONEPASS_NO_TILE 0xFFFFFFFFu  // instead of a packed tile

uint onepass_pack(uint index, uint2 tile) { return index << 24 | tile.y << 12 | tile.x; }
uint onepass_unpack_stage(uint item) { return item >> 24; }
uint2 onepass_unpack_tile(uint item) { return uint2(item & 0xFFFu, (item >> 12) & 0xFFFu); }

// Per axis, the number of active tiles of stage `index`, each of `width` texels, that overlap [begin, end).
uint2 onepass_contributors(uint2 begin, uint2 end, uint2 width, uint index) {
  uint2 from = max(onepass_divide(begin, width), onepass_active_begin(index));
  uint2 to = min(onepass_divide(end + width - 1u, width), onepass_active_end(index));
  return to - min(from, to);
}

// Inter-workgroup exchange: texels move from contributors (finer tiles) to the owner of their parent tile, by
//   fenced counters        all stages: the last to finish owns. Assumes release/acquire order between workgroups.
//   self-validating words  stage 0 to 1: the last to finish owns, and polls. Assumes that stores of 32-bit words are
//                          whole and become visible in finite time, in any order.
//   last-to-start mode     stage 0 to 1: the last to start owns, and polls. Assumes, besides, that started workgroups
//                          make progress (occupancy-bound forward progress), which Vulkan does not guarantee.
//   counter    0 --increment: one invocation of each contributor--> expected --reset: the one that completes it--> 0
//   fenced     stale --store: any invocation--> stored --release, increment: the counting one--> published
//   texel      published --counter complete: acquire, then a barrier of the owner--> readable by the owner
//              publish bits + 1: invocation 0 of the contributor, in a full build of parity p
//   word of    empty (0) ---------------------------------------------------> ready (not 0), polled by the owner
//   parity p       ^                                                            |
//                  +------------------------------------------------------------+
//              clear: invocation 0 of the same tile, in the next full build, of parity p ^ 1
//   parity     p --flip: invocation 0 of the last stage's only tile, when every contributor has read p--> p ^ 1

// Fenced counters: counts a finished contributor. True if that completes the counter.
bool onepass_count(uint counter, uint expected) {
  onepass_release();  // makes the texels available before the increment
  if (onepass_increment(counter) + 1u != expected) return false;
  onepass_reset(counter);
  onepass_acquire();  // makes the other contributors' texels visible
  return true;
}

// For each of the nine counting invocations: counter, number of contributors (0: no parent), coarser tile.
groupshared uint3 s_counts[9];

// The first counting invocation: a workgroup's last ones have the least other work.
#define ONEPASS_COUNTING_INDEX 240u

/// Finds the parents of `tile` of stage `index`. Called while the tile's loads are in flight, which hides its cost.
void onepass_prepare_count(uint index, uint2 tile, uint slice, uint lane) {
  uint which = lane - ONEPASS_COUNTING_INDEX;
  if (which >= 9u || index + 1u >= ONEPASS_STAGE_COUNT) return;
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
  s_counts[which] = uint3(counter, reads ? contributors.x * contributors.y : 0u, onepass_pack(index + 1u, parent));
}

// Takes the next tile off the stack. False if the stack is empty.
bool onepass_next(uint lane) {
  onepass_group_barrier();  // the stack is up to date
  bool more = s_stack_size > 0u;
  if (more) {
    s_next = s_stack[s_stack_size - 1u];  // every invocation writes the same value
    onepass_exchange_barrier();          // all have read the size and see the acquired texels
    if (lane == 0u) s_stack_size -= 1u;
  }
  return more;
}

// After stage 0, while counters are incremented: prefetches the image descriptors of the next levels.
void onepass_touch_next(uint lane) {
  uint first = onepass_stage(1u).first + 1u;
  for (uint i = 0u; i < 7u; ++i) {
    if (lane / 32u == i && first + i <= ONEPASS_PARAMS.last_level) onepass_touch_level(first + i);
  }
}

// True if a tile of stage 0 contributes a single texel, to a 2:1 stage. Invocation 0 stores it, one parent reads it.
bool onepass_exchanges_one_texel() {
  return ONEPASS_STAGE_COUNT > 1u && onepass_stage(0u).depth == 6u && onepass_stage(1u).kind == ONEPASS_STAGE_TWO_TO_ONE;
}

// True if that texel is published in the mailbox too, as a self-validating word, so that its counter needs neither
// release nor acquire. The mailbox is double-buffered: publishing at one parity empties the place of the other. Updates
// read texels of earlier builds and use fenced counters.
bool onepass_publishes() {
#if ONEPASS_MAILBOX
  return (ONEPASS_STAGE_KINDS & ONEPASS_STAGE_PUBLISHES) != 0u && !ONEPASS_PARTIAL;
#else
  return false;
#endif
}

// True in last-to-start mode: contributors increment the counter when they start. The last one makes its own tiles,
// then polls for the others' texels: neither counter nor barrier lies between the last publish and its use. Every
// workgroup publishes before it polls, and polls only for workgroups that have started.
bool onepass_last_to_start() { return onepass_publishes() && (ONEPASS_STAGE_KINDS & ONEPASS_STAGE_LAST_TO_START) != 0u; }

// Counts a contributor of a single texel. Returns the parent tile if its counter is complete, else ONEPASS_NO_TILE.
uint onepass_count_one(uint2 tile, uint slice) {
  uint2 parent = (tile * onepass_base_made()) >> 6u;
  // A tile of rows or columns that the next level drops at an odd size has no parent.
  uint2 parents = onepass_tile_count(onepass_stage(1u));
  if (any(onepass_greater_equal(parent, parents))) return ONEPASS_NO_TILE;
  // The parent reads 64 texels per axis, of which a workgroup makes onepass_base_made(), a power of 2.
  uint2 log_made = onepass_highest_bit2(onepass_base_made());
  uint2 begin = max((parent << 6u) >> log_made, onepass_active_begin(0u));
  uint2 end = min(((parent + 1u) << 6u) >> log_made, onepass_active_end(0u));
  uint counter = slice * ONEPASS_PARAMS.counter_stride + parent.y * parents.x + parent.x;
  uint expected = (end.x - begin.x) * (end.y - begin.y);
  bool last;
  if (onepass_publishes()) {
    last = onepass_increment(counter) + 1u == expected;
    if (last) onepass_reset(counter);
  } else {
    last = onepass_count(counter, expected);
  }
  return last ? onepass_pack(1u, parent) : ONEPASS_NO_TILE;
}

/// Counts a finished tile for the parents found before. True if s_next is another tile to make.
bool onepass_arrive(uint index, uint lane) {
  // A tile of the last stage has no parent, but the stack may hold other tiles.
  if (index + 1u < ONEPASS_STAGE_COUNT) {
    onepass_exchange_barrier();  // the texels of all invocations are stored
    uint which = lane - ONEPASS_COUNTING_INDEX;
    // Nested conditions: before HLSL 2021 all operands of && are evaluated.
    if (which < 9u) {
      if (s_counts[which].y > 0u) {
        if (onepass_count(s_counts[which].x, s_counts[which].y)) {
          uint top;
          onepass_shared_add_before(s_stack_size, 1u, top);
          s_stack[top] = s_counts[which].z;
        }
      }
    }
    if (index == 0u) onepass_touch_next(lane);
  }
  return onepass_next(lane);
}

/// Counts a contributor of a single texel, by one invocation. s_next is valid after the next barrier.
void onepass_count_in_one(uint2 tile, uint slice) {
  s_next = onepass_count_one(tile, slice);
  s_stack_size = 0u;
}

/// onepass_arrive for a contributor of a single texel.
bool onepass_arrive_one(uint2 tile, uint slice, uint lane) {
  if (onepass_last_to_start()) {  // it was counted when it started
    bool owns = s_next != ONEPASS_NO_TILE;
    if (owns) onepass_touch_next(lane);
    return owns;
  }
  if (lane == 0u) onepass_count_in_one(tile, slice);
  onepass_touch_next(lane);
  onepass_group_barrier();  // s_next is valid
  bool more = s_next != ONEPASS_NO_TILE;
  if (more && !onepass_publishes()) onepass_exchange_barrier();  // all see what invocation 0 has acquired
  return more;
}

#endif  // ONEPASS_PYRAMID_SCHEDULE_GLSL_
