// pyramid_schedule.glsl: which workgroup does what, and who goes on: stages, halos, hand-over and arrival counters.
//
// Every tile of a stage above 0 has a counter. A workgroup that finishes a tile increments the counters of the coarser
// tiles that read its results: the one it lies in, or two where it lies across a border, and those to the left and above
// that have it in their halo. Who brings a counter to the number of contributors owns that coarser tile. It may be
// several at once: they wait on a small stack. Counters are returned to zero by who completes them. Where workgroups wait
// (onepass_waits) they count when they begin.
#ifndef ONEPASS_PYRAMID_SCHEDULE_GLSL_
#define ONEPASS_PYRAMID_SCHEDULE_GLSL_

#include "onepass/pyramid_levels.glsl"

groupshared uint s_stack[9 * ONEPASS_MAX_STAGES];
groupshared uint s_stack_size;
groupshared uint s_next;  // the tile this workgroup goes on with, packed
groupshared uint s_turn;  // of posted texels

// a / b for numbers below 2^20 of which b is below 2^9: a division of whole numbers takes a device longer.
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

// Is a stage from `from` on of a kind? Known at compile time if the kinds are.
bool onepass_has_kind(uint from, uint kind) {
  bool has = false;
  ONEPASS_UNROLL for (uint i = 0u; i < uint(ONEPASS_MAX_STAGES); ++i) {
    has = has || (i >= from && i < ONEPASS_STAGE_COUNT && onepass_stage(i).kind == kind);
  }
  return has;
}

// Columns that a subgroup of `lanes` makes of a stream's third level: it reads 2 * lanes texels, and where levels are odd
// the last footprints lack their third texel.
uint onepass_stream_columns(uint lanes, uint size, uint first) {
  return lanes / 4u - (((size >> first) & 7u) == 0u ? 0u : 1u);
}

// Texels that a tile of a later stage makes of its last level; of its third for streams.
uint2 onepass_made(OnepassStage stage) {
  if (stage.kind == ONEPASS_STAGE_STREAM) {
    uint lanes = onepass_subgroup_size();
    return uint2(onepass_stream_columns(lanes, ONEPASS_PARAMS.size.x, stage.first), 256u / lanes);
  }
  uint side = 64u >> stage.depth;
  return uint2(side, side);
}

// The texels of its finest level that it makes them from, without the halo.
uint2 onepass_span(OnepassStage stage) {
  if (stage.kind == ONEPASS_STAGE_STREAM) return 8u * onepass_made(stage);
  return uint2(64u, 64u);
}

uint2 onepass_base_made() { return uint2(ONEPASS_PARAMS.base_made & 0xFFFFu, ONEPASS_PARAMS.base_made >> 16); }

// Texels of `level` that a tile reads beyond its own, per axis; `own_end` is where its texels of the stage's last level
// end. Nothing for aligned; the last tile only for edge.
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

// Tiles of a later stage.
uint2 onepass_tile_count(OnepassStage stage) {
  if (stage.kind == ONEPASS_STAGE_STREAM) {
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

// Counters of the stages above 0, one a tile: where those of a stage begin.
uint onepass_counter_offset(uint index, uint slice) {
  uint offset = slice * ONEPASS_PARAMS.counter_stride;
  for (uint i = 1u; i < index; ++i) {
    uint2 count = onepass_tile_count(onepass_stage(i));
    offset += count.x * count.y;
  }
  return offset;
}

#define ONEPASS_NOT_KEPT 0xFFFFFFFFu  // instead of a place in the hand-over buffer

// The level that a stage reads in the hand-over buffer: index of its first texel. HLSL evaluates both operands of ?:.
uint onepass_hand_over(uint index, uint slice) {
  return slice * ONEPASS_PARAMS.kept_stride + (index > 1u ? ONEPASS_PARAMS.kept_begin[max(index, 2u) - 2u] : 0u);
}

#define ONEPASS_NO_TILE 0xFFFFFFFFu  // instead of a packed one

uint onepass_pack(uint index, uint2 tile) { return index << 24 | tile.y << 12 | tile.x; }
uint onepass_unpack_stage(uint item) { return item >> 24; }
uint2 onepass_unpack_tile(uint item) { return uint2(item & 0xFFFu, (item >> 12) & 0xFFFu); }

// How many active tiles of the stage below, of which each makes `width` texels, read a part of [begin, end)?
uint2 onepass_contributors(uint2 begin, uint2 end, uint2 width, uint index) {
  uint2 from = max(onepass_divide(begin, width), onepass_active_begin(index));
  uint2 to = min(onepass_divide(end + width - 1u, width), onepass_active_end(index));
  return to - min(from, to);
}

// Counts this workgroup in for a coarser tile. True if that completes the number: the tile is this workgroup's.
bool onepass_count(uint counter, uint expected) {
  onepass_release();  // hand-over stores come before the counter says so
  if (onepass_increment(counter) + 1u != expected) return false;
  onepass_reset(counter);
  onepass_acquire();  // the other contributors' stores
  return true;
}

// What the nine counting lanes are going to count: counter, number expected (0: nothing to count), tile.
groupshared uint3 s_counts[9];

// The workgroup's last lanes: they have the least to do.
#define ONEPASS_COUNTING_LANE 240u

/// Finds out which coarser tiles read `tile` of stage `index`. Called while a tile's loads are under way, so that it takes
/// no time.
void onepass_prepare_count(uint index, uint2 tile, uint slice, uint lane) {
  uint which = lane - ONEPASS_COUNTING_LANE;
  if (which >= 9u || index + 1u >= ONEPASS_STAGE_COUNT) return;
  uint2 width = index == 0u ? onepass_base_made() : onepass_made(onepass_stage(index));
  // The tile that this one begins in and its eight neighbours.
  OnepassStage coarser = onepass_stage(index + 1u);
  uint2 count = onepass_tile_count(coarser);
  uint2 span = onepass_span(coarser);
  uint2 parent = onepass_divide(tile * width, span) + uint2(which % 3u, which / 3u) - 1u;  // beyond count if it wraps
  uint2 begin = parent * span;
  uint2 end = begin + span + onepass_halo(coarser, coarser.first, (parent + 1u) * (64u >> coarser.depth));
  uint2 contributors = onepass_contributors(begin, end, width, index);
  uint counter = onepass_counter_offset(index + 1u, slice) + parent.y * count.x + parent.x;
  bool reads = all(onepass_less(parent, count)) && all(onepass_less(tile * width, end)) &&
               all(onepass_greater((tile + 1u) * width, begin));
  s_counts[which] = uint3(counter, reads ? contributors.x * contributors.y : 0u, onepass_pack(index + 1u, parent));
}

// Takes a tile off the stack, if there is one.
bool onepass_next(uint lane) {
  onepass_group_barrier();  // the stack is up to date
  bool more = s_stack_size > 0u;
  if (more) {
    s_next = s_stack[s_stack_size - 1u];  // all write the same
    onepass_hand_over_barrier();          // all have read the size, and see what the counting lane has acquired
    if (lane == 0u) s_stack_size -= 1u;
  }
  return more;
}

// After stage 0, those who wait for the counters look at the images that come next, if one of them has to go on.
void onepass_touch_next(uint lane) {
  uint first = onepass_stage(1u).first + 1u;
  for (uint i = 0u; i < 7u; ++i) {
    if (lane / 32u == i && first + i <= ONEPASS_PARAMS.last_level) onepass_touch_level(first + i);
  }
}

// Does a tile of stage 0 hand over a single texel, to a stage that is plain? Then lane 0 alone has stored it, and it is
// read by one tile.
bool onepass_hands_over_one() {
  return ONEPASS_STAGE_COUNT > 1u && onepass_stage(0u).depth == 6u && onepass_stage(1u).kind == ONEPASS_STAGE_PLAIN;
}

// Is that texel posted as well, as the plan allows, sealed so that an empty place shows? Then nobody waits for stores before
// counting, and nobody acquires: the tile that reads it looks until it is there. Dispatches take turns at two sets of places;
// each empties the other one's. Updates need texels that stay, and hand over with fences.
bool onepass_posts() {
#if ONEPASS_MAIL
  return (ONEPASS_STAGE_KINDS & ONEPASS_STAGE_POSTS) != 0u && !ONEPASS_PARTIAL;
#else
  return false;
#endif
}

// Does who begins last own the tile that texels are posted to? It makes its own tiles and then waits for the others' texels:
// nothing else is left between the last post and those who look for it. Who waits has posted before, and waits only for
// workgroups that have begun; a device must let all of these go on.
bool onepass_waits() { return onepass_posts() && (ONEPASS_STAGE_KINDS & ONEPASS_STAGE_WAITS) != 0u; }

// Counts it in. The tile to go on with, or ONEPASS_NO_TILE.
uint onepass_count_one(uint2 tile, uint slice) {
  uint2 parent = (tile * onepass_base_made()) >> 6u;
  // Where rows or columns are left over, tiles of them make texels that no coarser tile reads.
  uint2 parents = onepass_tile_count(onepass_stage(1u));
  if (any(onepass_greater_equal(parent, parents))) return ONEPASS_NO_TILE;
  // The parent reads 64 texels, of which a workgroup makes `made`, a power of 2.
  uint2 log_made = onepass_highest_bit2(onepass_base_made());
  uint2 begin = max((parent << 6u) >> log_made, onepass_active_begin(0u));
  uint2 end = min(((parent + 1u) << 6u) >> log_made, onepass_active_end(0u));
  uint counter = slice * ONEPASS_PARAMS.counter_stride + parent.y * parents.x + parent.x;
  uint expected = (end.x - begin.x) * (end.y - begin.y);
  bool last;
  if (onepass_posts()) {
    last = onepass_increment(counter) + 1u == expected;
    if (last) onepass_reset(counter);
  } else {
    last = onepass_count(counter, expected);
  }
  return last ? onepass_pack(1u, parent) : ONEPASS_NO_TILE;
}

/// Counts a finished tile in, as prepared. True if this workgroup has another tile to do: s_next.
bool onepass_arrive(uint index, uint lane) {
  // Tiles of the last stage have nobody to hand over to, but others may wait on the stack.
  if (index + 1u < ONEPASS_STAGE_COUNT) {
    onepass_hand_over_barrier();  // everybody's hand-over stores are done
    uint which = lane - ONEPASS_COUNTING_LANE;
    // One condition in the other: before HLSL 2021 all operands of && are evaluated.
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

/// Counts a tile of stage 0 in that hands over a single texel: s_next, which the next barrier makes known. By one invocation.
void onepass_count_in_one(uint2 tile, uint slice) {
  s_next = onepass_count_one(tile, slice);
  s_stack_size = 0u;
}

/// onepass_arrive for such a tile.
bool onepass_arrive_one(uint2 tile, uint slice, uint lane) {
  if (onepass_waits()) {  // it was counted in when it began
    bool owns = s_next != ONEPASS_NO_TILE;
    if (owns) onepass_touch_next(lane);
    return owns;
  }
  if (lane == 0u) onepass_count_in_one(tile, slice);
  onepass_touch_next(lane);
  onepass_group_barrier();  // s_next is known
  bool more = s_next != ONEPASS_NO_TILE;
  if (more && !onepass_posts()) onepass_hand_over_barrier();  // all see what lane 0 has acquired
  return more;
}

#endif  // ONEPASS_PYRAMID_SCHEDULE_GLSL_
