// pyramid_tight.glsl: the tight footprint in one dispatch.
//
// Tight footprints are not nested: a texel of level n+1 may begin in the middle of one of level n. So coarse levels are
// not made from finer ones. A workgroup owns a 64x64 tile of the base. It makes its texels of levels 1 to 3 itself,
// and for every coarser texel it reduces the part of the footprint that lies in its tile. These parts are combined in
// the exchange buffer by atomic maximum on order-preserving integers (complemented for min, so that zero is the
// identity of both). The owner of a coarser tile converts these accumulators to texels and resets them to zero.
//
// A tile is reduced a strip of ROWS rows at a time, first along x, then along y:
//
//     s_rows    texels of the strip, and of 7 rows and columns after it that footprints of levels 1 to 3 reach into
//     s_fine    rows of the strip, reduced over the columns of each texel of levels 2 and 3
//     s_parts   the same for the columns of each coarser texel that meets the tile; s_runs, reductions of eight texels
//               each, shorten these reductions
//
// A minimum or maximum does not change if a texel takes part twice. So loops have the same length in all invocations:
// where a footprint is shorter, its last texel is read again. Loops that read shared memory have constant bounds: in
// the Vulkan memory model Mesa 22's lavapipe loses invocations in others, where they are nested.
#include "onepass/workgroup_exchange.glsl"

#if COMPONENTS == 1
#define ROWS 16u
#else
#define ROWS 8u  // less shared memory
#endif
#define HALO 7u
#define ROW_STRIDE 72u  // 64 columns and the halo, in runs of eight
#define RUNS 8u
#define MOST_PARTS 32u  // along an axis: 5 texels of level 4 meet a tile, 3 of level 5 and two of each coarser level
groupshared ONEPASS_ELEMENT s_rows[(ROWS + HALO) * ROW_STRIDE];
groupshared ONEPASS_ELEMENT s_runs[(ROWS + 1u) * RUNS];  // a last tile may be a row higher
#define FINE_BEGIN(level) ((level) == 2u ? 0u : (ROWS + HALO) * 16u)
groupshared ONEPASS_ELEMENT s_fine[(ROWS + HALO) * (16u + 8u)];
groupshared ONEPASS_ELEMENT s_parts[(ROWS + 1u) * MOST_PARTS];
groupshared uint4 s_met[ONEPASS_MAX_LEVELS];  // texels of a coarse level that meet the tile: begin in xy, end in zw

layout(binding = 3) ONEPASS_COHERENT buffer IntermediateBits { uint intermediate_bits[]; };

const float2 kNoWeight = float2(0.0, 0.0);

uint ordered(float value) {
  uint bits = floatBitsToUint(value);
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}
float unordered(uint key) { return uintBitsToFloat((key & 0x80000000u) != 0u ? key & 0x7FFFFFFFu : ~key); }

// Is the reduction of component c a minimum?
bool is_min(uint c) { return REDUCTION == ONEPASS_MIN || (REDUCTION == ONEPASS_MIN_MAX && c == 0u); }

void add_part(uint index, float value, uint c) {
  uint key = ordered(value);
  onepass_atomic_max(intermediate_bits[index * COMPONENTS + c], is_min(c) ? ~key : key);
}
float take_component(uint index, uint c) {
  uint key;
  onepass_atomic_load(intermediate_bits[index * COMPONENTS + c], key);
  intermediate_bits[index * COMPONENTS + c] = 0u;
  return unordered(is_min(c) ? ~key : key);
}

// Texels of `level` that a tile of `stage` owns: begin in xy, end in zw.
uint4 owned(OnepassStage stage, uint2 tile, uint level) {
  uint width = 64u >> (level - stage.first);
  return uint4(tile * width, min((tile + 1u) * width, onepass_level_size2(pc.size, level)));
}

bool affected(uint2 texel, uint4 rect) {
  return all(greaterThanEqual(texel, rect.xy)) && all(lessThan(texel, rect.zw));
}

// The texels of a level that the changed region affects, all of them in a full build: begin in xy, end in zw.
uint4 stored_rect(uint level) {
  if (!ONEPASS_PARTIAL) return uint4(uint2(0u, 0u), onepass_level_size2(pc.size, level));
  return onepass_store_rect(level);
}

// onepass_tight_range(), without a division where the level halves exactly.
uint2 range_of(uint size, uint level, uint i) {
  bool exact = (size & ((1u << level) - 1u)) == 0u;
  return exact ? uint2(i << level, (i + 1u) << level) : onepass_tight_range(size, level, i);
}

// No footprint of the level is longer along the axis. It is shorter than two blocks of 2^level texels.
uint longest_range(uint size, uint level) {
  uint rest = size & ((1u << level) - 1u);
  uint count = onepass_level_size(size, level);
  return (1u << level) + (rest == 0u ? 0u : (rest + count - 1u) / count + 1u);
}

// A range relative to `begin`, within `limit` texels. Only texels that do not exist have ranges beyond it.
uint2 range_from(uint2 range, uint begin, uint limit) {
  range -= begin;
  return min(range, uint2(limit - 1u, limit));
}

// The strip that is in shared memory.
struct Strip {
  uint4 tile;  // begin in xy, end in zw
  uint begin;  // its first row, relative to the tile
  uint rows;   // without the halo
};

void load_rows(Strip strip, uint slice, uint lane) {
  const uint count = (ROWS + HALO) * ROW_STRIDE;
  ONEPASS_UNROLL for (uint first = 0u; first < count; first += 256u) {
    uint i = first + lane;
    uint2 at = strip.tile.xy + uint2(i % ROW_STRIDE, strip.begin + i / ROW_STRIDE);
    if (i < count) s_rows[i] = onepass_load_base(min(at, pc.size - 1u), slice);
  }
}

// True if levels 1 to 3 halve exactly: then each is made from the level before, in s_fine.
bool halves() { return ((pc.size.x | pc.size.y) & 7u) == 0u; }

// Makes the strip's texels of level 1, each from all texels of its footprint: two or three along each axis, or a single
// one.
void make_first(Strip strip, uint slice, uint lane) {
  bool even = ((pc.size.x | pc.size.y) & 1u) == 0u;
  uint2 first = (strip.tile.xy + uint2(0u, strip.begin)) / 2u;
  uint2 texel = first + uint2(lane % 32u, lane / 32u);
  bool stored = lane < 16u * ROWS && affected(texel, stored_rect(1u));
  uint2 x = range_from(range_of(pc.size.x, 1u, texel.x), strip.tile.x, ROW_STRIDE);
  uint2 y = range_from(range_of(pc.size.y, 1u, texel.y), strip.tile.y + strip.begin, ROWS + HALO);
  uint first_row = y.x * ROW_STRIDE;
  ONEPASS_ELEMENT value = onepass_reduce2(s_rows[first_row + x.x], s_rows[first_row + x.y - 1u], kNoWeight);
  ONEPASS_UNROLL for (uint v = 1u; v < 3u; ++v) {
    uint row = min(y.x + v, y.y - 1u) * ROW_STRIDE;
    if (v < 2u || !even) {
      value = onepass_reduce2(value, s_rows[row + x.x], kNoWeight);
      value = onepass_reduce2(value, s_rows[row + x.y - 1u], kNoWeight);
    }
  }
  if (!even) {  // the middle column
    ONEPASS_UNROLL for (uint v = 0u; v < 3u; ++v) {
      uint row = min(y.x + v, y.y - 1u) * ROW_STRIDE;
      value = onepass_reduce2(value, s_rows[row + min(x.x + 1u, x.y - 1u)], kNoWeight);
    }
  }
  if (stored) onepass_store_level(1u, texel, slice, value);
  if (halves() && lane < 16u * ROWS) s_fine[lane] = value;
}

// Makes the strip's texels of level 2 or 3, where levels halve exactly. Levels 1 and 2 follow each other in s_fine.
void make_halved(Strip strip, uint level, uint slice, uint lane) {
  uint width = 64u >> level;
  uint finer = level == 2u ? 0u : 16u * ROWS;
  uint2 offset = uint2(lane % width, lane / width);
  if (offset.y < ROWS >> level) {
    uint i = finer + 4u * width * offset.y + 2u * offset.x;
    ONEPASS_ELEMENT upper = onepass_reduce2(s_fine[i], s_fine[i + 1u], kNoWeight);
    ONEPASS_ELEMENT lower = onepass_reduce2(s_fine[i + 2u * width], s_fine[i + 2u * width + 1u], kNoWeight);
    ONEPASS_ELEMENT value = onepass_reduce2(upper, lower, kNoWeight);
    uint2 texel = ((strip.tile.xy + uint2(0u, strip.begin)) >> level) + offset;
    if (affected(texel, stored_rect(level))) onepass_store_level(level, texel, slice, value);
    if (level == 2u) s_fine[16u * ROWS + lane] = value;
  }
}

// Along x, the columns of each texel of level 2 or 3, in all rows of the strip and its halo.
void reduce_fine(Strip strip, uint level, uint lane) {
  uint width = 64u >> level;
  uint texel = (strip.tile.x >> level) + lane % width;
  uint2 x = range_from(range_of(pc.size.x, level, texel), strip.tile.x, ROW_STRIDE);
  uint longest = longest_range(pc.size.x, level);
  ONEPASS_UNROLL for (uint begin = 0u; begin < (ROWS + HALO) * 16u; begin += 256u) {
    uint i = begin + lane;
    uint row = i / width * ROW_STRIDE;
    if (i < (ROWS + HALO) * width) {
      ONEPASS_ELEMENT value = s_rows[row + x.x];
      ONEPASS_UNROLL for (uint u = 1u; u < (2u << level) - 1u; ++u) {
        if (u < longest) value = onepass_reduce2(value, s_rows[row + min(x.x + u, x.y - 1u)], kNoWeight);
      }
      s_fine[FINE_BEGIN(level) + i] = value;
    }
  }
}

// Along y, the strip's texels of level 2 or 3.
void make_fine(Strip strip, uint level, uint slice, uint lane) {
  uint width = 64u >> level;
  uint column = lane % width;
  uint2 first = (strip.tile.xy + uint2(0u, strip.begin)) >> level;
  uint2 texel = first + uint2(column, lane / width);
  if (lane / width < ROWS >> level && affected(texel, stored_rect(level))) {
    uint2 y = range_from(range_of(pc.size.y, level, texel.y), strip.tile.y + strip.begin, ROWS + HALO);
    uint longest = longest_range(pc.size.y, level);
    ONEPASS_ELEMENT value = s_fine[FINE_BEGIN(level) + y.x * width + column];
    ONEPASS_UNROLL for (uint v = 1u; v < (2u << level) - 1u; ++v) {
      uint i = FINE_BEGIN(level) + min(y.x + v, y.y - 1u) * width + column;
      if (v < longest) value = onepass_reduce2(value, s_fine[i], kNoWeight);
    }
    onepass_store_level(level, texel, slice, value);
  }
}

// Reduces eight columns of a row, for coarser texels.
void make_runs(uint lane) {
  uint first = lane / RUNS * ROW_STRIDE + 8u * (lane % RUNS);
  if (lane < (ROWS + 1u) * RUNS) {
    ONEPASS_ELEMENT run = s_rows[first];
    ONEPASS_UNROLL for (uint k = 1u; k < 8u; ++k) run = onepass_reduce2(run, s_rows[first + k], kNoWeight);
    s_runs[lane] = run;
  }
}

// The texels of each level from `first_level` on that meet the tile.
void find_met(uint first_level, uint4 tile, uint lane) {
  uint4 met = uint4(0u, 0u, 0u, 0u);
  if (lane >= first_level && lane <= pc.last_level) {
    uint2 columns = onepass_affected(pc.size.x, lane, tile.x, tile.z);
    uint2 rows = onepass_affected(pc.size.y, lane, tile.y, tile.w);
    met = uint4(columns.x, rows.x, columns.y, rows.y);
  }
  if (lane < uint(ONEPASS_MAX_LEVELS)) s_met[lane] = met;
}

// The number of parts along x that a row has room for: 16 or MOST_PARTS.
uint room_for_parts(uint first_level) {
  uint parts = 0u;
  for (uint level = first_level; level <= pc.last_level; ++level) parts += s_met[level].z - s_met[level].x;
  return parts <= 16u ? 16u : MOST_PARTS;
}

// The columns of the tile that part `part` along x reduces, relative to the tile; the first column if there is no such
// part.
uint2 part_columns(uint first_level, uint4 tile, uint part) {
  uint2 x = uint2(0u, 1u);
  for (uint level = first_level; level <= pc.last_level; ++level) {
    uint4 met = s_met[level];
    uint width = met.z - met.x;
    if (part < width) x = clamp(onepass_tight_range(pc.size.x, level, met.x + part), tile.xx, tile.zz) - tile.x;
    part -= width;  // wraps once found, to more than any number of parts
  }
  return x;
}

// The coarse texel that an invocation reduces along y, in the tile: its index in the exchange buffer, its number among
// the parts along x, and the rows of the tile in its footprint, relative to the tile.
struct Part {
  bool exists;
  uint index;
  uint column;
  uint2 y;
};

Part assign_part(uint first_level, uint4 tile, uint slice, uint lane) {
  Part part;
  part.exists = false;
  part.index = 0u;
  part.column = 0u;
  part.y = uint2(0u, 1u);
  uint before = 0u;                             // parts along x of finer levels
  uint begin = slice * pc.intermediate_stride;  // all levels from `first_level` on are in the exchange buffer
  for (uint level = first_level; level <= pc.last_level; ++level) {
    uint4 met = s_met[level];
    uint width = met.z - met.x;
    uint count = width * (met.w - met.y);
    uint2 size = onepass_level_size2(pc.size, level);
    if (lane < count) {
      uint2 texel = met.xy + uint2(lane % width, lane / width);
      part.exists = true;
      part.index = begin + texel.y * size.x + texel.x;
      part.column = before + lane % width;
      part.y = clamp(onepass_tight_range(pc.size.y, level, texel.y), tile.yy, tile.ww) - tile.y;
    }
    lane -= count;  // wraps once assigned, to more than any count
    before += width;
    begin += size.x * size.y;
  }
  return part;
}

// Along x, columns [x.x, x.y) of a row: runs of eight, and up to seven columns before and after them.
ONEPASS_ELEMENT reduce_columns(uint row, uint2 x) {
  uint first = row * ROW_STRIDE;
  ONEPASS_ELEMENT value = s_rows[first + x.x];
  if (x.x % 8u != 0u) {
    ONEPASS_UNROLL for (uint i = 1u; i < 7u; ++i) {
      value = onepass_reduce2(value, s_rows[first + min(x.x + i, x.y - 1u)], kNoWeight);
    }
  }
  if (x.y % 8u != 0u) {
    ONEPASS_UNROLL for (uint i = 1u; i < 8u; ++i) {
      value = onepass_reduce2(value, s_rows[first + max(x.y, x.x + i) - i], kNoWeight);
    }
  }
  uint2 runs = uint2((x.x + 7u) / 8u, x.y / 8u);
  if (runs.x < runs.y) {
    ONEPASS_UNROLL for (uint i = 0u; i < RUNS; ++i) {
      value = onepass_reduce2(value, s_runs[row * RUNS + min(runs.x + i, runs.y - 1u)], kNoWeight);
    }
  }
  return value;
}

// Along x, the columns of each coarse texel in each row of the strip.
void reduce_parts(Strip strip, uint room, uint2 x, uint lane) {
  ONEPASS_UNROLL for (uint k = 0u; k <= ROWS * MOST_PARTS / 256u; ++k) {
    uint row = (256u * k + lane) / room;
    if (row < strip.rows) s_parts[row * MOST_PARTS + lane % room] = reduce_columns(row, x);
  }
}

// Along y, the strip's rows of a coarse texel.
void combine_parts(Strip strip, Part part, inout bool started, inout ONEPASS_ELEMENT value) {
  uint2 y = clamp(part.y, strip.begin, strip.begin + strip.rows) - strip.begin;
  if (part.exists && y.x < y.y) {
    ONEPASS_ELEMENT rows = s_parts[y.x * MOST_PARTS + part.column];
    ONEPASS_UNROLL for (uint v = 1u; v <= ROWS; ++v) {
      rows = onepass_reduce2(rows, s_parts[min(y.x + v, y.y - 1u) * MOST_PARTS + part.column], kNoWeight);
    }
    value = started ? onepass_reduce2(value, rows, kNoWeight) : rows;
    started = true;
  }
}

void add_to_exchange(uint index, ONEPASS_ELEMENT value) {
#if COMPONENTS == 1
  add_part(index, float(value), 0u);
#else
  for (uint c = 0u; c < COMPONENTS; ++c) add_part(index, float(value[c]), c);
#endif
}

// Makes the levels of stage 0, of `depth` up to 3, and adds the tile to the coarser texels that it meets.
void reduce_tile(uint depth, uint4 tile, bool more, uint slice, uint lane) {
  find_met(depth + 1u, tile, lane);
  onepass_group_barrier();  // s_met is written
  uint room = room_for_parts(depth + 1u);
  uint2 x = part_columns(depth + 1u, tile, lane % room);
  Part part = assign_part(depth + 1u, tile, slice, lane);
  bool started = false;
  ONEPASS_ELEMENT value;
  Strip strip;
  strip.tile = tile;
  uint height = tile.w - tile.y;
  for (uint begin = 0u; begin < min(height, 64u); begin += ROWS) {
    strip.begin = begin;
    strip.rows = begin + ROWS < 64u ? min(ROWS, height - begin) : height - begin;
    load_rows(strip, slice, lane);
    onepass_group_barrier();  // the strip is loaded
    make_first(strip, slice, lane);
    if (!halves() && depth > 1u) reduce_fine(strip, 2u, lane);
    if (!halves() && depth > 2u) reduce_fine(strip, 3u, lane);
    if (more) make_runs(lane);
    onepass_group_barrier();  // runs and rows of levels 2 and 3 are complete; where levels halve, level 1
    if (halves() && depth > 1u) make_halved(strip, 2u, slice, lane);
    if (!halves() && depth > 1u) make_fine(strip, 2u, slice, lane);
    if (!halves() && depth > 2u) make_fine(strip, 3u, slice, 255u - lane);
    if (more) reduce_parts(strip, room, x, lane);
    onepass_group_barrier();  // texels of the strip are no longer read; parts are complete, and level 2
    if (halves() && depth > 2u) make_halved(strip, 3u, slice, 255u - lane);
    if (more) combine_parts(strip, part, started, value);
  }
  if (started) add_to_exchange(part.index, value);
}

// Takes the reduction of a texel's parts out of the exchange buffer.
ONEPASS_ELEMENT take_texel(uint index) {
  ONEPASS_ELEMENT value;
#if COMPONENTS == 1
  value = take_component(index, 0u);
#else
  for (uint c = 0u; c < COMPONENTS; ++c) value[c] = take_component(index, c);
#endif
  return value;
}

// Makes the texels of a completed coarser tile. Levels follow each other in the order of invocations, so that all parts
// are read at the same time. Levels are stored one after the other: the image must be the same for all invocations.
void finish_levels(OnepassStage stage, uint2 tile, uint slice, uint lane) {
  uint first = stage.first + 1u;
  uint last = stage.first + stage.depth;
  uint total = 0u;
  for (uint level = first; level <= last; ++level) {
    uint4 own = owned(stage, tile, level);
    total += (own.z - min(own.x, own.z)) * (own.w - min(own.y, own.w));
  }
  for (uint begin = 0u; begin < total; begin += 256u) {
    uint i = begin + lane;
    uint found = 0u;  // the invocation's level
    uint index = 0u;
    uint2 texel = uint2(0u, 0u);
    uint kept = onepass_intermediate_offset(first, slice);
    for (uint level = first; level <= last; ++level) {
      uint4 own = owned(stage, tile, level);
      uint2 size = onepass_level_size2(pc.size, level);
      uint width = own.z - min(own.x, own.z);
      uint count = width * (own.w - min(own.y, own.w));
      if (i < count) {
        found = level;
        texel = own.xy + uint2(i % width, i / width);
        index = kept + texel.y * size.x + texel.x;
      }
      i -= count;  // wraps once found, to more than any count
      kept += size.x * size.y;
    }
    ONEPASS_ELEMENT value;
    if (found != 0u) value = take_texel(index);
    for (uint level = first; level <= last; ++level) {
      if (found == level && affected(texel, stored_rect(level))) {
        onepass_store_level(level, texel, slice, ONEPASS_ELEMENT(value));
      }
    }
  }
}

void tight_pyramid(uint3 group) {
  uint lane = onepass_workgroup_index();
  uint2 tile = group.xy + onepass_active_begin(0u);
  uint slice = group.z;
  uint index = 0u;
  onepass_clear_claims(lane);
  onepass_delay(tile);
  OnepassStage fine = onepass_stage(0u);
  // The last tile of an axis also has the last texel of an odd size.
  uint2 end = min(64u * (tile + 1u), pc.size);
  uint2 count = onepass_tile_count(fine);
  if (tile.x + 1u == count.x) end.x = pc.size.x;
  if (tile.y + 1u == count.y) end.y = pc.size.y;
  bool more = STAGE_COUNT > 1u;
  reduce_tile(fine.depth, uint4(64u * tile, end), more, slice, lane);
  while (more) {
    onepass_delay(tile);
    onepass_find_parents(index, tile, slice, lane);
    more = onepass_arrive(index, lane);
    if (more) {
      index = onepass_claimed_stage();
      tile = onepass_claimed_tile();
      finish_levels(onepass_stage(index), tile, slice, lane);
    }
  }
}
