// pyramid_stream.glsl: three levels with the covering footprint, where levels are odd, in registers.
//
// A subgroup of N lanes walks down a window of 2N columns of the base, a lane two columns wide. A row of level 1 needs two
// more rows of the base, a row of level 2 two more of level 1, and so on; where a level is odd its last row is remembered,
// being the first of the next footprint too. Columns to the right come from neighbouring lanes, so that the last lanes have
// no complete footprint: windows overlap, and a subgroup makes N/4 - 1 columns of level 3.
//
//     base      | a b | a b | a b | ..      row of level 1, by lane:  (a, b, a of the next lane)
//     level 1   |  1  |  2  |  3  | ..      row of level 2:           (1, 2, 3), in every second lane
//     level 2   |  1        |  2  | ..
//
// Nothing goes through shared memory. Rows are stored two at a time by 4x2 lanes: what memory calls a sector.
#ifndef ONEPASS_PYRAMID_STREAM_GLSL_
#define ONEPASS_PYRAMID_STREAM_GLSL_

#include "onepass/pyramid_schedule.glsl"

// Rows of the base that are read before the first is used. Wide elements would need too many registers.
#ifndef ONEPASS_STREAM_ROWS
#define ONEPASS_STREAM_ROWS 8
#endif

struct OnepassStream {
  uint slice;
  uint lane;      // in the subgroup
  uint half_size; // of the subgroup
  uint column;    // of the lane: 0 .. N - 1
  uint3 next;     // lanes of the columns 1, 2 and 4 to the right
  uint3 column0;  // the window's first column on levels 1, 2, 3
  uint3 columns;  // of the window that this subgroup owns, on levels 1, 2, 3
  uint base_row;  // next row of the base to read
  uint3 row;      // next row to make, on levels 1, 2, 3
  uint3 row_end;  // of those that this subgroup owns
  float3 weight_x1, weight_x2, weight_x3;
  ONEPASS_ELEMENT above0, above1, above2;  // the last row of levels 0, 1, 2, reduced along x
  ONEPASS_ELEMENT even1, even2;            // the last row of levels 1, 2 if its number is even, not yet stored
};

// Columns of level 3 that a subgroup makes.
uint onepass_stream_step() {
  return onepass_subgroup_size() / 4u - ((ONEPASS_PARAMS.size.x & 7u) == 0u ? 0u : 1u);
}

// Is a level odd, so that footprints on it have three texels?
bool onepass_stream_three(uint size, uint level) { return ((size >> level) & 1u) != 0u; }

// The lane that holds a column. Eight lanes in a row hold 4 columns of each half of the window.
uint onepass_stream_lane(uint column, uint half_size) {
  uint c = column & (half_size - 1u);
  return ((c >> 2u) << 3u) | (c & 3u) | ((column & half_size) != 0u ? 4u : 0u);
}

float3 onepass_stream_weight(uint size, uint level, uint i) {
  return onepass_taps(size, level, min(i, onepass_level_size(size, level + 1u) - 1u)).weight;
}

ONEPASS_ELEMENT onepass_stream_reduce(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, ONEPASS_ELEMENT c, float3 weight, bool three) {
  if (three) return onepass_reduce3(a, b, c, weight);
  return onepass_reduce2(a, b, float2(0.5, 0.5));
}

// Rows of levels 0, 1, 2 reduced along x.
ONEPASS_ELEMENT onepass_stream_x1(OnepassStream s, ONEPASS_ELEMENT a, ONEPASS_ELEMENT b) {
  ONEPASS_ELEMENT c = onepass_shuffle(a, s.next.x);
  return onepass_stream_reduce(a, b, c, s.weight_x1, onepass_stream_three(ONEPASS_PARAMS.size.x, 0u));
}
ONEPASS_ELEMENT onepass_stream_x2(OnepassStream s, ONEPASS_ELEMENT a) {
  ONEPASS_ELEMENT b = onepass_shuffle(a, s.next.x);
  ONEPASS_ELEMENT c = onepass_shuffle(a, s.next.y);
  return onepass_stream_reduce(a, b, c, s.weight_x2, onepass_stream_three(ONEPASS_PARAMS.size.x, 1u));
}
ONEPASS_ELEMENT onepass_stream_x3(OnepassStream s, ONEPASS_ELEMENT a) {
  ONEPASS_ELEMENT b = onepass_shuffle(a, s.next.y);
  ONEPASS_ELEMENT c = onepass_shuffle(a, s.next.z);
  return onepass_stream_reduce(a, b, c, s.weight_x3, onepass_stream_three(ONEPASS_PARAMS.size.x, 2u));
}

// Reads `count` rows, an even number, into rows[2 * i], rows[2 * i + 1]: the lane's two columns of row i.
void onepass_stream_read(inout OnepassStream s, uint count, out ONEPASS_ELEMENT rows[2 * ONEPASS_STREAM_ROWS]) {
  uint x = 2u * (s.column0.x + s.column);
  ONEPASS_UNROLL for (uint i = 0u; i < uint(ONEPASS_STREAM_ROWS); i += 2u) {
    if (i < count) {
      onepass_load_base_block(uint2(x, s.base_row + i), s.slice, rows[2u * i], rows[2u * i + 1u], rows[2u * i + 2u],
                              rows[2u * i + 3u]);
    }
  }
  s.base_row += count;
}

bool onepass_stream_inside(uint4 rect, uint2 texel) {
  return all(greaterThanEqual(texel, rect.xy)) && all(lessThan(texel, rect.zw));
}

// Stores rows `y` and `y` + 1 of level 1: lanes of the window's right half take the lower row of the left half's columns
// in exchange for their upper row.
void onepass_stream_store1(OnepassStream s, ONEPASS_ELEMENT upper, ONEPASS_ELEMENT lower, uint y) {
  bool right = (s.lane & 4u) != 0u;
  ONEPASS_ELEMENT other = onepass_shuffle_xor(right ? upper : lower, 4u);
  uint left_column = s.column & (s.half_size - 1u);
  uint4 rect = onepass_store_rect(1u);
  uint2 texel = uint2(s.column0.x + left_column, y + (right ? 1u : 0u));
  bool own = texel.y < s.row_end.x;
  if (own && left_column < s.columns.x && onepass_stream_inside(rect, texel)) {
    onepass_store_level(1u, texel, s.slice, right ? other : upper);
  }
  texel.x += s.half_size;
  if (own && left_column + s.half_size < s.columns.x && onepass_stream_inside(rect, texel)) {
    onepass_store_level(1u, texel, s.slice, right ? lower : other);
  }
}

// Stores rows `y` and `y` + 1 of level 2, of which every second lane holds a column: the others take the lower row.
void onepass_stream_store2(OnepassStream s, ONEPASS_ELEMENT upper, ONEPASS_ELEMENT lower, uint y) {
  bool odd = (s.lane & 1u) != 0u;
  ONEPASS_ELEMENT other = onepass_shuffle_xor(lower, 1u);
  uint2 texel = uint2(s.column0.y + (s.column >> 1u), y + (odd ? 1u : 0u));
  bool own = texel.y < s.row_end.y && (s.column >> 1u) < s.columns.y;
  if (own && onepass_stream_inside(onepass_store_rect(2u), texel)) {
    onepass_store_level(2u, texel, s.slice, odd ? other : upper);
  }
}

// The next row of level 1, from rows[2 * i] on.
ONEPASS_ELEMENT onepass_stream_row1(inout OnepassStream s, ONEPASS_ELEMENT rows[2 * ONEPASS_STREAM_ROWS], uint i) {
  bool three = onepass_stream_three(ONEPASS_PARAMS.size.y, 0u);
  ONEPASS_ELEMENT a = onepass_stream_x1(s, rows[2u * i], rows[2u * i + 1u]);
  ONEPASS_ELEMENT b = onepass_stream_x1(s, rows[2u * i + 2u], rows[2u * i + 3u]);
  ONEPASS_ELEMENT value;
  if (three) {
    value = onepass_reduce3(s.above0, a, b, onepass_stream_weight(ONEPASS_PARAMS.size.y, 0u, s.row.x));
  } else {
    value = onepass_reduce2(a, b, float2(0.5, 0.5));
  }
  s.above0 = b;
  if ((s.row.x & 1u) == 0u) {
    s.even1 = value;
  } else {
    onepass_stream_store1(s, s.even1, value, s.row.x - 1u);
  }
  s.row.x += 1u;
  return value;
}

// The next row of level 2, from four rows.
ONEPASS_ELEMENT onepass_stream_row2(inout OnepassStream s, ONEPASS_ELEMENT rows[2 * ONEPASS_STREAM_ROWS], uint i) {
  bool three = onepass_stream_three(ONEPASS_PARAMS.size.y, 1u);
  ONEPASS_ELEMENT a = onepass_stream_x2(s, onepass_stream_row1(s, rows, i));
  ONEPASS_ELEMENT b = onepass_stream_x2(s, onepass_stream_row1(s, rows, i + 2u));
  ONEPASS_ELEMENT value;
  if (three) {
    value = onepass_reduce3(s.above1, a, b, onepass_stream_weight(ONEPASS_PARAMS.size.y, 1u, s.row.y));
  } else {
    value = onepass_reduce2(a, b, float2(0.5, 0.5));
  }
  s.above1 = b;
  if ((s.row.y & 1u) == 0u) {
    s.even2 = value;
  } else {
    onepass_stream_store2(s, s.even2, value, s.row.y - 1u);
  }
  s.row.y += 1u;
  return value;
}

// The next row of level 3, from eight rows.
void onepass_stream_row3(inout OnepassStream s) {
  bool three = onepass_stream_three(ONEPASS_PARAMS.size.y, 2u);
  ONEPASS_ELEMENT rows[2 * ONEPASS_STREAM_ROWS];
  onepass_stream_read(s, uint(ONEPASS_STREAM_ROWS), rows);
  ONEPASS_ELEMENT a = onepass_stream_x3(s, onepass_stream_row2(s, rows, 0u));
#if ONEPASS_STREAM_ROWS == 8
  ONEPASS_ELEMENT b = onepass_stream_x3(s, onepass_stream_row2(s, rows, 4u));
#else
  onepass_stream_read(s, 4u, rows);
  ONEPASS_ELEMENT b = onepass_stream_x3(s, onepass_stream_row2(s, rows, 0u));
#endif
  ONEPASS_ELEMENT value;
  if (three) {
    value = onepass_reduce3(s.above2, a, b, onepass_stream_weight(ONEPASS_PARAMS.size.y, 2u, s.row.z));
  } else {
    value = onepass_reduce2(a, b, float2(0.5, 0.5));
  }
  s.above2 = b;
  uint2 texel = uint2(s.column0.z + (s.column >> 2u), s.row.z);
  if ((s.lane & 3u) == 0u && (s.column >> 2u) < s.columns.z && texel.y < s.row_end.z) {
    if (onepass_stream_inside(onepass_store_rect(3u), texel)) onepass_store_level(3u, texel, s.slice, value);
    if (onepass_is_kept(3u)) {
      onepass_store_kept(onepass_kept_offset(3u, s.slice) + texel.y * (ONEPASS_PARAMS.size.x >> 3u) + texel.x, value);
    }
  }
  s.row.z += 1u;
}

// Reads what the first footprints have above the rows that follow: S mod 8 rows.
void onepass_stream_begin(inout OnepassStream s) {
  ONEPASS_ELEMENT rows[2 * ONEPASS_STREAM_ROWS];
  uint size = ONEPASS_PARAMS.size.y;
  if (onepass_stream_three(size, 0u)) {
    onepass_stream_read(s, 2u, rows);
    s.base_row -= 1u;
    s.above0 = onepass_stream_x1(s, rows[0], rows[1]);
  }
  if (onepass_stream_three(size, 1u)) {
    onepass_stream_read(s, 2u, rows);
    s.above1 = onepass_stream_x2(s, onepass_stream_row1(s, rows, 0u));
  }
  if (onepass_stream_three(size, 2u)) {
    onepass_stream_read(s, 4u, rows);
    s.above2 = onepass_stream_x3(s, onepass_stream_row2(s, rows, 0u));
  }
}

/// Levels 1 to 3 of a tile of the base: subgroups lie below each other, each makes `rows` rows of level 3.
void onepass_stream_tile(uint2 tile, uint rows, uint slice, uint lane) {
  uint lanes = onepass_subgroup_size();
  uint step = onepass_stream_step();
  uint2 size = ONEPASS_PARAMS.size;
  uint2 coarse = size >> 3u;
  OnepassStream s;
  s.slice = slice;
  s.lane = lane & (lanes - 1u);
  s.half_size = lanes / 2u;
  s.column = ((s.lane >> 3u) << 2u) | (s.lane & 3u) | ((s.lane & 4u) != 0u ? s.half_size : 0u);
  s.next = uint3(onepass_stream_lane(s.column + 1u, s.half_size), onepass_stream_lane(s.column + 2u, s.half_size),
                 onepass_stream_lane(s.column + 4u, s.half_size));
  uint2 first = uint2(tile.x * step, (tile.y * (256u / lanes) + lane / lanes) * rows);
  s.column0 = first.x * uint3(4u, 2u, 1u);
  s.row = first.y * uint3(4u, 2u, 1u);
  s.base_row = 8u * first.y;
  // The last ones also own what an odd size leaves over on levels 1 and 2.
  uint3 width = uint3(size.x >> 1u, size.x >> 2u, size.x >> 3u);
  uint3 height = uint3(size.y >> 1u, size.y >> 2u, size.y >> 3u);
  s.columns = first.x + step >= coarse.x ? width - min(width, s.column0) : step * uint3(4u, 2u, 1u);
  s.row_end = first.y + rows >= coarse.y ? height : (first.y + rows) * uint3(4u, 2u, 1u);
  s.weight_x1 = onepass_stream_weight(size.x, 0u, s.column0.x + s.column);
  s.weight_x2 = onepass_stream_weight(size.x, 1u, s.column0.y + (s.column >> 1u));
  s.weight_x3 = onepass_stream_weight(size.x, 2u, s.column0.z + (s.column >> 2u));
  if (first.y >= coarse.y) return;  // a whole subgroup
  onepass_stream_begin(s);
  for (uint i = 0u; i < rows; ++i) onepass_stream_row3(s);
  // The very last row of a level may have no partner.
  bool last = first.y + rows >= coarse.y;
  if (last && (s.row.x & 1u) != 0u) onepass_stream_store1(s, s.even1, s.even1, s.row.x - 1u);
  if (last && (s.row.y & 1u) != 0u) onepass_stream_store2(s, s.even2, s.even2, s.row.y - 1u);
}

#endif  // ONEPASS_PYRAMID_STREAM_GLSL_
