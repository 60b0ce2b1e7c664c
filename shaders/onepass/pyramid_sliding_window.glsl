// pyramid_sliding_window.glsl: a sliding-window stage makes three levels of a covering pyramid of odd sizes in
// registers.
//
// A subgroup of N invocations moves down a window of 2N columns of the stage's finest level, here called level 0, two
// columns per invocation. A row of level 1 needs two more rows of level 0, a row of level 2 two more of level 1, and so
// on; the last row of each level stays in registers, because the next footprint begins with it. The first seven rows
// are therefore read ahead. Columns to the right come from neighbouring invocations by shuffles. The last invocations
// have no complete footprint: windows overlap, and a subgroup makes N/4 - 1 columns of level 3.
//
//     level 0   | a b | a b | a b | ..      row of level 1:  (a, b, a of the next invocation)
//     level 1   |  1  |  2  |  3  | ..      row of level 2:  (1, 2, 3), in every second invocation
//     level 2   |  1        |  2  | ..
//
// Pairs of invocations hold wide texels: one has columns 4m and 4m + 2, the other 4m + 1 and 4m + 3. Neighbours then
// read adjacent texels, and shuffle one value more.
//
// Nothing goes through shared memory. Rows are stored two at a time in blocks of 4x2 texels, the size of a memory
// sector. Even levels run the same code, to keep the loads branch-free: two taps share the second texel's weight.
#ifndef ONEPASS_PYRAMID_SLIDING_WINDOW_GLSL_
#define ONEPASS_PYRAMID_SLIDING_WINDOW_GLSL_

#include "onepass/pyramid_general.glsl"
#include "onepass/prelude_names.glsl"

// Rows of level 0 loaded before the first is used: 8, 4 or 2; fewer for wide elements, to limit register pressure.
#ifndef ONEPASS_WINDOW_ROWS
#define ONEPASS_WINDOW_ROWS 8
#endif

// Do pairs of invocations interleave their columns? For texels of 8 bytes and more.
#ifndef ONEPASS_WINDOW_PAIRS
#define ONEPASS_WINDOW_PAIRS false
#endif

struct OnepassWindow {
  uint first;  // the stage's finest level, here called level 0
  uint2 size;  // its size
  uint from;   // its index in the exchange buffer, unless it is the base
  uint slice;
  uint2 at;        // the invocation's left column of level 0, the next row to read
  uint apart;      // distance of the right column from the left: 1, or 2 in pairs
  bool odd;        // is the invocation's column of level 1 odd?
  bool right;      // is this column in the right half of the window?
  uint3 next;      // invocations that hold the columns 1, 2 and 4 to the right
  uint3 column;    // the invocation's columns of levels 1 (in the left half), 2, 3
  uint3 row;       // next row to make of levels 1, 2, 3
  uint half_size;  // of the subgroup
  // Columns that the invocation stores: left1 and right1 those of level 1 in the left and in the right half of the
  // window, own2 and own3 those of levels 2 and 3.
  bool left1, right1, own2, own3;
  uint3 begin, count;  // the rows to store of levels 1, 2, 3
  float3 weight_x1, weight_x2, weight_x3;
  float3 inverse_height;                          // of levels 0, 1, 2
  ONEPASS_ELEMENT left0, right0, above1, above2;  // the last row of levels 0, 1, 2: the invocation's columns
  ONEPASS_ELEMENT even1, even2;                   // the last row of levels 1, 2 while it is even and not yet stored
};

// True if a level of an axis (0: x, 1: y) is odd, so that footprints on it have three texels. Where
// ONEPASS_BASE_REMAINDERS are constants, the compiler knows.
bool onepass_window_three(uint size, uint axis, uint level) {
  uint bits = ONEPASS_STAGES == ONEPASS_STAGES_BASE ? (ONEPASS_BASE_REMAINDERS) >> (3u * axis) : size;
  return ((bits >> level) & 1u) != 0u;
}

// The invocation that holds a column of level 1. Eight consecutive ones hold 4 columns of each half of the window.
uint onepass_window_lane(uint column, uint half_size) {
  uint c = column & (half_size - 1u);
  return ((c >> 2u) << 3u) | (c & 3u) | ((column & half_size) != 0u ? 4u : 0u);
}

// Weights of the footprint of texel `i` of an axis of `coarse` texels; `inverse_size` is that of the finer level. See
// onepass_taps.
float3 onepass_window_weight(bool three, uint coarse, uint i, float inverse_size) {
  i = min(i, coarse - 1u);
  float2 outer = float2(float(coarse - i), float(i + 1u)) * inverse_size;
  return three ? float3(outer.x, 1.0 - outer.x - outer.y, outer.y) : float3(0.5, 0.25, 0.25);
}

// Reductions along x of rows reduced along y: this order takes half the shuffles.
ONEPASS_ELEMENT onepass_window_x1(OnepassWindow s, ONEPASS_ELEMENT a, ONEPASS_ELEMENT b) {
  bool three = onepass_window_three(s.size.x, 0u, 0u);
  ONEPASS_ELEMENT next = onepass_shuffle(a, s.next.x);
  if (!ONEPASS_WINDOW_PAIRS) return onepass_reduce3(a, b, three ? next : b, s.weight_x1);
  ONEPASS_ELEMENT before = onepass_shuffle_xor(b, 1u);
  ONEPASS_ELEMENT middle = s.odd ? b : next;
  ONEPASS_ELEMENT last = s.odd ? next : b;
  return onepass_reduce3(s.odd ? before : a, middle, three ? last : middle, s.weight_x1);
}
ONEPASS_ELEMENT onepass_window_x2(OnepassWindow s, ONEPASS_ELEMENT a) {
  ONEPASS_ELEMENT b = onepass_shuffle(a, s.next.x);
  ONEPASS_ELEMENT c = onepass_shuffle(a, onepass_window_three(s.size.x, 0u, 1u) ? s.next.y : s.next.x);
  return onepass_reduce3(a, b, c, s.weight_x2);
}
ONEPASS_ELEMENT onepass_window_x3(OnepassWindow s, ONEPASS_ELEMENT a) {
  ONEPASS_ELEMENT b = onepass_shuffle(a, s.next.y);
  ONEPASS_ELEMENT c = onepass_shuffle(a, onepass_window_three(s.size.x, 0u, 2u) ? s.next.z : s.next.y);
  return onepass_reduce3(a, b, c, s.weight_x3);
}

// Reduces along y: the row held in `above` and two more. `above` then holds the last.
ONEPASS_ELEMENT onepass_window_y(OnepassWindow s, uint level, uint row, ONEPASS_INOUT(ONEPASS_ELEMENT) above,
                                 ONEPASS_ELEMENT a, ONEPASS_ELEMENT b) {
  bool three = onepass_window_three(s.size.y, 1u, level);
  float3 weight = onepass_window_weight(three, s.size.y >> (level + 1u), row, s.inverse_height[level]);
  ONEPASS_ELEMENT value = onepass_reduce3(above, a, three ? b : a, weight);
  above = b;
  return value;
}

// Loads the invocation's two columns of two rows of the base.
void onepass_window_load(OnepassWindow s, uint row, ONEPASS_OUT(ONEPASS_ELEMENT) a, ONEPASS_OUT(ONEPASS_ELEMENT) b,
                         ONEPASS_OUT(ONEPASS_ELEMENT) c, ONEPASS_OUT(ONEPASS_ELEMENT) d) {
  if (ONEPASS_WINDOW_PAIRS) {
    uint2 end = ONEPASS_PARAMS.size - 1u;
    uint2 from = min(uint2(s.at.x, row), end);
    uint2 to = min(uint2(s.at.x + s.apart, row + 1u), end);
    a = onepass_load_base(from, s.slice);
    b = onepass_load_base(uint2(to.x, from.y), s.slice);
    c = onepass_load_base(uint2(from.x, to.y), s.slice);
    d = onepass_load_base(to, s.slice);
  } else {
    onepass_load_base_block(uint2(s.at.x, row), s.slice, a, b, c, d);
  }
}

// Reads two columns of rows `row` to `row` + `count` - 1 into rows[2 * to] and up. `count` and `to` are constants.
#define ONEPASS_WINDOW_READ(s, row, count, rows, to)                                                             \
  if (onepass_reads_base(s.first)) {                                                                             \
    ONEPASS_UNROLL for (uint i = 0u; i < count; i += 2u) {                                                       \
      onepass_window_load(s, (row) + i, rows[2u * (to + i)], rows[2u * (to + i) + 1u], rows[2u * (to + i) + 2u], \
                          rows[2u * (to + i) + 3u]);                                                             \
    }                                                                                                            \
  } else {                                                                                                       \
    ONEPASS_UNROLL for (uint i = 0u; i < count; ++i) {                                                           \
      uint left = s.from + min((row) + i, s.size.y - 1u) * s.size.x;                                             \
      rows[2u * (to + i)] = onepass_load_intermediate(left + min(s.at.x, s.size.x - 1u));                        \
      rows[2u * (to + i) + 1u] = onepass_load_intermediate(left + min(s.at.x + s.apart, s.size.x - 1u));         \
    }                                                                                                            \
  }

// Stores rows `y` and `y` + 1 of level 1. The window's right half swaps its upper row for the left half's lower row.
void onepass_window_store1(OnepassWindow s, ONEPASS_ELEMENT upper, ONEPASS_ELEMENT lower, uint y) {
  ONEPASS_ELEMENT other = onepass_shuffle_xor(s.right ? upper : lower, 4u);
  uint row = y + (s.right ? 1u : 0u);
  bool own = row - s.begin.x < s.count.x;
  if (own && s.left1) onepass_store_level(s.first + 1u, uint2(s.column.x, row), s.slice, s.right ? other : upper);
  if (own && s.right1) {
    onepass_store_level(s.first + 1u, uint2(s.column.x + s.half_size, row), s.slice, s.right ? lower : other);
  }
}

// Stores rows `y` and `y` + 1 of level 2. Every second invocation holds a column; the others store the lower row.
void onepass_window_store2(OnepassWindow s, ONEPASS_ELEMENT upper, ONEPASS_ELEMENT lower, uint y, uint lane) {
  ONEPASS_ELEMENT other = onepass_shuffle_xor(lower, 1u);
  uint row = y + (lane & 1u);
  if (s.own2 && row - s.begin.y < s.count.y) {
    onepass_store_level(s.first + 2u, uint2(s.column.y, row), s.slice, (lane & 1u) != 0u ? other : upper);
  }
}

// Makes the next row of level 1 from rows[2 * i] on. An odd row is stored together with the even one before.
ONEPASS_ELEMENT onepass_window_row1(ONEPASS_INOUT(OnepassWindow) s, ONEPASS_ELEMENT rows[2 * ONEPASS_WINDOW_ROWS],
                                    uint i, bool odd) {
  ONEPASS_ELEMENT a = onepass_window_y(s, 0u, s.row.x, s.left0, rows[2u * i], rows[2u * i + 2u]);
  ONEPASS_ELEMENT b = onepass_window_y(s, 0u, s.row.x, s.right0, rows[2u * i + 1u], rows[2u * i + 3u]);
  ONEPASS_ELEMENT value = onepass_window_x1(s, a, b);
  if (odd) {
    onepass_window_store1(s, s.even1, value, s.row.x - 1u);
  } else {
    s.even1 = value;
  }
  s.row.x += 1u;
  return value;
}

// Makes the next row of level 2 from rows[2 * i] on, or from four rows from `row` on, loaded here two at a time.
ONEPASS_ELEMENT onepass_window_row2(ONEPASS_INOUT(OnepassWindow) s, ONEPASS_ELEMENT rows[2 * ONEPASS_WINDOW_ROWS],
                                    uint i, uint row, bool odd, uint lane) {
#if ONEPASS_WINDOW_ROWS == 2
  ONEPASS_WINDOW_READ(s, row, 2u, rows, 0u)
  ONEPASS_ELEMENT a = onepass_window_row1(s, rows, 0u, true);
  ONEPASS_WINDOW_READ(s, row + 2u, 2u, rows, 0u)
  ONEPASS_ELEMENT b = onepass_window_row1(s, rows, 0u, false);
#else
  ONEPASS_ELEMENT a = onepass_window_row1(s, rows, i, true);
  ONEPASS_ELEMENT b = onepass_window_row1(s, rows, i + 2u, false);
#endif
  ONEPASS_ELEMENT value = onepass_window_x2(s, onepass_window_y(s, 1u, s.row.y, s.above1, a, b));
  if (odd) {
    onepass_window_store2(s, s.even2, value, s.row.y - 1u, lane);
  } else {
    s.even2 = value;
  }
  s.row.y += 1u;
  return value;
}

// Makes the next row of level 3 from eight rows.
ONEPASS_ELEMENT onepass_window_row3(ONEPASS_INOUT(OnepassWindow) s, uint lane) {
  ONEPASS_ELEMENT rows[2 * ONEPASS_WINDOW_ROWS];
#if ONEPASS_WINDOW_ROWS > 2
  ONEPASS_WINDOW_READ(s, s.at.y, uint(ONEPASS_WINDOW_ROWS), rows, 0u)
#endif
  ONEPASS_ELEMENT a = onepass_window_row2(s, rows, 0u, s.at.y, true, lane);
#if ONEPASS_WINDOW_ROWS == 4
  ONEPASS_WINDOW_READ(s, s.at.y + 4u, 4u, rows, 0u)
#endif
  ONEPASS_ELEMENT b = onepass_window_row2(s, rows, ONEPASS_WINDOW_ROWS == 8 ? 4u : 0u, s.at.y + 4u, false, lane);
  ONEPASS_ELEMENT value = onepass_window_x3(s, onepass_window_y(s, 2u, s.row.z, s.above2, a, b));
  s.at.y += 8u;
  s.row.z += 1u;
  return value;
}

// Reads ahead the first row of levels 0, 1 and 2. The tile's parents are found while the loads are in flight;
// `counting` is the index within the workgroup.
void onepass_window_begin(ONEPASS_INOUT(OnepassWindow) s, uint lane, uint index, uint2 tile, uint counting) {
  ONEPASS_ELEMENT rows[2 * ONEPASS_WINDOW_ROWS];
  ONEPASS_WINDOW_READ(s, s.at.y, uint(ONEPASS_WINDOW_ROWS), rows, 0u)
  onepass_find_parents(index, tile, s.slice, counting);
  s.left0 = rows[0];
  s.right0 = rows[1];
#if ONEPASS_WINDOW_ROWS == 2
  ONEPASS_WINDOW_READ(s, s.at.y + 1u, 2u, rows, 0u)
#endif
  s.above1 = onepass_window_row1(s, rows, ONEPASS_WINDOW_ROWS == 2 ? 0u : 1u, false);
#if ONEPASS_WINDOW_ROWS == 4
  ONEPASS_WINDOW_READ(s, s.at.y + 3u, 4u, rows, 0u)
#endif
  s.above2 = onepass_window_row2(s, rows, ONEPASS_WINDOW_ROWS == 8 ? 3u : 0u, s.at.y + 3u, false, lane);
  s.at.y += 7u;
}

// Sets the rows and columns that a subgroup stores; its first texel of level 3 is `begin`. The last subgroups of an
// axis also own the rows or columns of levels 1 and 2 that an odd size leaves over.
void onepass_window_own(ONEPASS_INOUT(OnepassWindow) s, uint2 begin, uint2 made, uint column) {
  uint2 end = begin + made;
  uint2 coarse = s.size >> 3u;
  ONEPASS_UNROLL for (uint level = 1u; level <= 3u; ++level) {
    uint2 from = begin << (3u - level);
    uint2 size = s.size >> level;
    uint2 to =
        uint2(end.x >= coarse.x ? size.x : end.x << (3u - level), end.y >= coarse.y ? size.y : end.y << (3u - level));
    if (ONEPASS_PARTIAL) {
      uint4 rect = onepass_store_rect(s.first + level);
      from = max(from, rect.xy);
      to = min(to, rect.zw);
    }
    to = max(to, from);
    s.begin[level - 1u] = from.y;
    s.count[level - 1u] = to.y - from.y;
    uint width = to.x - from.x;
    if (level == 1u) {
      s.left1 = s.column.x - from.x < width;
      s.right1 = s.column.x + s.half_size - from.x < width;
    }
    if (level == 2u) s.own2 = s.column.y - from.x < width;
    if (level == 3u) s.own3 = (column & 3u) == 0u && s.column.z - from.x < width;
  }
}

OnepassWindow onepass_window(OnepassStage stage, uint2 begin, uint2 made, uint slice, uint from, uint lane) {
  OnepassWindow s;
  s.first = stage.first;
  s.size = ONEPASS_PARAMS.size >> stage.first;
  s.from = from;
  s.slice = slice;
  s.half_size = onepass_subgroup_size() / 2u;
  s.right = (lane & 4u) != 0u;
  uint left_column = ((lane >> 3u) << 2u) | (lane & 3u);
  uint column = left_column + (s.right ? s.half_size : 0u);
  s.next = uint3(onepass_window_lane(column + 1u, s.half_size), onepass_window_lane(column + 2u, s.half_size),
                 onepass_window_lane(column + 4u, s.half_size));
  s.odd = (column & 1u) != 0u;
  s.apart = ONEPASS_WINDOW_PAIRS ? 2u : 1u;
  s.at = 8u * begin + uint2(ONEPASS_WINDOW_PAIRS && s.odd ? 2u * column - 1u : 2u * column, 0u);
  s.column = begin.x * uint3(4u, 2u, 1u) + uint3(left_column, column >> 1u, column >> 2u);
  s.row = begin.y * uint3(4u, 2u, 1u);
  float3 inverse = 1.0 / float3(uint3(s.size.x, s.size.x >> 1u, s.size.x >> 2u));
  s.inverse_height = 1.0 / float3(uint3(s.size.y, s.size.y >> 1u, s.size.y >> 2u));
  bool three1 = onepass_window_three(s.size.x, 0u, 0u);
  bool three2 = onepass_window_three(s.size.x, 0u, 1u);
  bool three3 = onepass_window_three(s.size.x, 0u, 2u);
  s.weight_x1 = onepass_window_weight(three1, s.size.x >> 1u, 4u * begin.x + column, inverse.x);
  s.weight_x2 = onepass_window_weight(three2, s.size.x >> 2u, s.column.y, inverse.y);
  s.weight_x3 = onepass_window_weight(three3, s.size.x >> 3u, s.column.z, inverse.z);
  onepass_window_own(s, begin, made, column);
  return s;
}

// Makes the last stage's levels after level 3, one invocation per texel. Level 3 is in s_a and has at most 8x8 texels.
// Levels are double-buffered: one barrier per level is enough. Compact code, because it runs once, from a cold cache.
void onepass_window_last_levels(OnepassStage stage, uint slice, uint lane) {
  for (uint level = stage.first + 4u; level <= stage.first + stage.depth; ++level) {
    onepass_group_barrier();  // the finer level is complete
    uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, level);
    uint2 texel = uint2(lane & 7u, lane >> 3u);
    if (all(onepass_less(texel, size))) {
      OnepassTaps x = onepass_taps(ONEPASS_PARAMS.size.x, level - 1u, texel.x);
      OnepassTaps y = onepass_taps(ONEPASS_PARAMS.size.y, level - 1u, texel.y);
      uint finer = ((level - stage.first) & 1u) * 64u;
      ONEPASS_ELEMENT rows[3];
      ONEPASS_UNROLL for (uint i = 0u; i < 3u; ++i) {
        uint row = finer + 8u * y.at[i];
        rows[i] = onepass_reduce2(s_a[row + x.at.x], s_a[row + x.at.y], x.weight.xy);
        if (x.three) rows[i] = onepass_reduce3(s_a[row + x.at.x], s_a[row + x.at.y], s_a[row + x.at.z], x.weight);
      }
      ONEPASS_ELEMENT value = onepass_reduce2(rows[0], rows[1], y.weight.xy);
      if (y.three) value = onepass_reduce3(rows[0], rows[1], rows[2], y.weight);
      s_a[64u - finer + lane] = value;
      if (onepass_is_stored(level, texel)) onepass_store_level(level, texel, slice, value);
    }
  }
}

/// Makes three levels of a tile, with subgroups below each other. It reads the exchange buffer at `from` and writes
/// level 3 at `kept`, or to s_a for onepass_window_last_levels().
void onepass_window_tile(uint index, uint2 tile, uint slice, uint from, uint kept, uint lane) {
  OnepassStage stage = onepass_stage(index);
  uint rows = index == 0u ? ONEPASS_PARAMS.base_run : 1u;  // of level 3, per subgroup
  uint lanes = onepass_subgroup_size();
  uint2 size = ONEPASS_PARAMS.size >> stage.first;
  uint2 made = uint2(onepass_window_columns(lanes, size.x, 0u), rows);
#if ONEPASS_WINDOW_ROWS == 4
  uint subgroup = lane / lanes;
#else
  uint subgroup = onepass_uniform(lane / lanes);  // saves registers; slower with four rows (wide texels)
#endif
  uint2 begin = uint2(tile.x, tile.y * (256u / lanes) + subgroup) * made;
  if (begin.y < size.y >> 3u) {  // uniform in a subgroup
    uint own_lane = lane & (lanes - 1u);
    OnepassWindow s = onepass_window(stage, begin, made, slice, from, own_lane);
    // The intermediate level is written whatever part of the image is stored.
    bool keeps = (own_lane & 3u) == 0u && s.column.z < min(begin.x + made.x, size.x >> 3u);
    onepass_window_begin(s, own_lane, index, tile, lane);
    for (uint i = 0u; i < rows; ++i) {
      ONEPASS_ELEMENT value = onepass_window_row3(s, own_lane);
      uint row = s.row.z - 1u;
      if (s.own3 && row - s.begin.z < s.count.z)
        onepass_store_level(s.first + 3u, uint2(s.column.z, row), slice, value);
      if (keeps && row < size.y >> 3u) {
        if (stage.depth > 3u) {
          s_a[8u * row + s.column.z] = value;
        } else if (kept != ONEPASS_NOT_INTERMEDIATE) {
          onepass_store_intermediate(kept + row * (size.x >> 3u) + s.column.z, value);
        }
      }
    }
    // The last row of levels 1 and 2 is even: it is stored alone.
    if (begin.y + rows >= size.y >> 3u) {
      onepass_window_store1(s, s.even1, s.even1, s.row.x - 1u);
      onepass_window_store2(s, s.even2, s.even2, s.row.y - 1u, own_lane);
    }
  } else {
    onepass_find_parents(index, tile, slice, lane);
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_SLIDING_WINDOW_GLSL_
