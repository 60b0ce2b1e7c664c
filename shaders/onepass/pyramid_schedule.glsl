// pyramid_schedule.glsl: which workgroup does what, and who goes on: stages, halos, hand-over and arrival counters.
//
// Every tile of a stage above 0 has a counter. A workgroup that finishes a tile increments the counters of the coarser
// tiles that read its results: the one it lies in, or two where it lies across a border, and those to the left and above
// that have it in their halo. Who brings a counter to the number of contributors owns that coarser tile. It may be
// several at once: they wait on a small stack. Counters are returned to zero by who completes them.
#ifndef ONEPASS_PYRAMID_SCHEDULE_GLSL_
#define ONEPASS_PYRAMID_SCHEDULE_GLSL_

#include "onepass/pyramid_levels.glsl"

groupshared uint s_stack[9 * ONEPASS_MAX_STAGES];
groupshared uint s_stack_size;
groupshared uint s_next;  // the tile this workgroup goes on with, packed

struct OnepassStage {
  uint first;  // its finest level, which it reads
  uint depth;  // it makes levels first + 1 .. first + depth
  bool quads;  // every texel of level first + 1 is exactly 2x2 texels of level first
  bool plain;  // the same for all its levels, and a tile needs no halo for them
};

// Along an axis of size s, do levels first .. first + count - 1 halve exactly?
bool onepass_halves(uint s, uint first, uint count) {
  if ((s >> first) < (1u << count)) return false;
  if (ONEPASS_FOOTPRINT == ONEPASS_ALIGNED) return true;
  if (ONEPASS_FOOTPRINT == ONEPASS_EDGE) return (s & ((1u << (first + count)) - 1u)) == 0u;
  return ((s >> first) & ((1u << count) - 1u)) == 0u;
}

OnepassStage onepass_stage(uint index) {
  OnepassStage stage;
  stage.first = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_MAX_STAGES; ++i) {
    if (i < index) stage.first += bitfieldExtract(ONEPASS_PARAMS.stage_depths, int(4u * i), 4);
  }
  stage.depth = bitfieldExtract(ONEPASS_PARAMS.stage_depths, int(4u * index), 4);
  uint2 size = ONEPASS_PARAMS.size;
  stage.quads = onepass_halves(size.x, stage.first, 1u) && onepass_halves(size.y, stage.first, 1u);
  stage.plain = bitfieldExtract(ONEPASS_PARAMS.plain_stages, int(index), 1) != 0u;
  return stage;
}

// Texels of a stage's last level that a workgroup makes. Above stage 0 a tile is 64x64 texels of the finest level.
uint2 onepass_made(uint index) {
  if (index == 0u) return uint2(ONEPASS_PARAMS.base_made & 0xFFFFu, ONEPASS_PARAMS.base_made >> 16);
  uint side = 64u >> bitfieldExtract(ONEPASS_PARAMS.stage_depths, int(4u * index), 4);
  return uint2(side, side);
}

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

// Tiles of a stage whose tiles are 64x64: 32 texels of its first new level each.
uint2 onepass_tile_count(uint first) { return (onepass_level_size2(ONEPASS_PARAMS.size, first + 1u) + 31u) / 32u; }

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
  uint first = 0u;
  ONEPASS_UNROLL for (uint i = 1u; i < ONEPASS_MAX_STAGES; ++i) {
    first += bitfieldExtract(ONEPASS_PARAMS.stage_depths, int(4u * i - 4u), 4);
    uint2 count = onepass_tile_count(first);
    if (i < index) offset += count.x * count.y;
  }
  return offset;
}

uint onepass_pack(uint index, uint2 tile) { return index << 24 | tile.y << 12 | tile.x; }
uint onepass_unpack_stage(uint item) { return item >> 24; }
uint2 onepass_unpack_tile(uint item) { return uint2(item & 0xFFFu, (item >> 12) & 0xFFFu); }

// How many active tiles of the stage below, of which each makes `width` texels, does a tile of this stage read along an
// axis? It reads texels [64 * tile, 64 * tile + 64 + halo).
uint onepass_contributors(uint tile, uint halo, uint width, uint active_begin, uint active_end) {
  uint begin = max(64u * tile / width, active_begin);
  uint end = min((64u * (tile + 1u) + halo + width - 1u) / width, active_end);
  return end - min(begin, end);
}

// Counts a finished tile in for the coarser tiles that read it, and puts those that are complete on the stack.
void onepass_count_in(uint index, uint2 tile, uint slice, uint lane) {
  onepass_hand_over_barrier();  // everybody's hand-over stores are done
  if (lane >= 9u) return;
  onepass_release();  // and come before the counters say so

  // Nine lanes take the tile that this one begins in and its eight neighbours.
  OnepassStage coarser = onepass_stage(index + 1u);
  uint2 width = onepass_made(index);
  uint2 count = onepass_tile_count(coarser.first);
  uint2 parent = tile * width / 64u + uint2(lane % 3u, lane / 3u) - 1u;  // beyond count if it wraps
  uint2 halo = onepass_halo(coarser, coarser.first, (parent + 1u) * (64u >> coarser.depth));
  uint2 begin = onepass_active_begin(index);
  uint2 end = onepass_active_end(index);
  uint expected = onepass_contributors(parent.x, halo.x, width.x, begin.x, end.x) *
                  onepass_contributors(parent.y, halo.y, width.y, begin.y, end.y);
  uint counter = onepass_counter_offset(index + 1u, slice) + parent.y * count.x + parent.x;
  bool reads = all(lessThan(tile * width, 64u * (parent + 1u) + halo)) &&
               all(greaterThan((tile + 1u) * width, 64u * parent)) && all(lessThan(parent, count));
  if (reads) {
    if (onepass_increment(counter) + 1u == expected) {
      onepass_reset(counter);
      onepass_acquire();  // the other contributors' stores; the workgroup's barrier passes it on
      s_stack[onepass_shared_add(s_stack_size, 1u)] = onepass_pack(index + 1u, parent);
    }
  }
}

/// Says that `tile` of stage `index` is done. True if this workgroup has another tile to do: s_next.
bool onepass_arrive(uint index, uint2 tile, uint slice, uint lane) {
  if (index == 0u && lane == 0u) s_stack_size = 0u;
  // Tiles of the last stage have nobody to hand over to, but others may wait on the stack.
  if (index + 1u < ONEPASS_PARAMS.stage_count) onepass_count_in(index, tile, slice, lane);
  if (index == 0u) {
    // Those who wait for the counters look at the images that come next, if one of them has to go on.
    uint level = bitfieldExtract(ONEPASS_PARAMS.stage_depths, 0, 4) + lane / 32u;
    if (lane >= 32u && level <= ONEPASS_PARAMS.last_level) onepass_touch_level(level);
  }
  onepass_hand_over_barrier();  // the stack is up to date
  bool more = s_stack_size > 0u;
  if (more) {
    s_next = s_stack[s_stack_size - 1u];  // all write the same
    onepass_group_barrier();              // all have read the size
    if (lane == 0u) s_stack_size -= 1u;
  }
  return more;
}

#endif  // ONEPASS_PYRAMID_SCHEDULE_GLSL_
