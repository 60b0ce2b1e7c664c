// pyramid_two_to_one.glsl: a 2:1 stage makes up to six levels of a tile in registers. Every texel is exactly 2x2 finer
// ones.
//
// Neighbouring invocations load and store neighbouring texels: they cover 16x16 texels of level 1 in Morton order, and
// each holds four, 16 apart.
//
//     invocations   0  1  4  5 ..      level 1: four per invocation      level 4 and up: 16 invocations,
//                   2  3  6  7         level 2: in quads                 from 8x8 texels of level 3 in
//                   8  9 12 13         level 3: in 16 invocations        shared memory
//
// With ONEPASS_TEXEL_PAIRS they cover 32x16 texels of level 1, two each, and hold two such pairs, 16 rows apart: linear
// memory has wide loads and stores for neighbours in a row.
//
// Tiles of later stages come from the exchange buffer, when few workgroups are left to hide latency: there an
// invocation owns 4x4 texels and makes two levels of them alone.
#ifndef ONEPASS_PYRAMID_TWO_TO_ONE_GLSL_
#define ONEPASS_PYRAMID_TWO_TO_ONE_GLSL_

#include "onepass/pyramid_general.glsl"
#include "onepass/prelude_names.glsl"

#if ONEPASS_COLUMN_PASSES > 1  // wide elements
#define ONEPASS_INTERMEDIATE_LOOP
#else
#define ONEPASS_INTERMEDIATE_LOOP ONEPASS_UNROLL
#endif

// The value of invocation lane ^ mask. The whole workgroup calls it. Beyond a subgroup values go through s_b.
ONEPASS_ELEMENT onepass_swap(ONEPASS_ELEMENT value, uint mask, uint lane) {
  if (mask < onepass_subgroup_size()) return onepass_shuffle_xor(value, mask);
  onepass_group_barrier();  // every read of the swap before is done
  s_b[lane] = value;
  onepass_group_barrier();  // every value is written
  return s_b[lane ^ mask];
}

ONEPASS_ELEMENT onepass_reduce_quad(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, ONEPASS_ELEMENT c, ONEPASS_ELEMENT d) {
#ifdef ONEPASS_OWN_REDUCE4
  return onepass_reduce4(a, b, c, d);
#else
  const float2 half_each = float2(0.5, 0.5);
  return onepass_reduce2(onepass_reduce2(a, b, half_each), onepass_reduce2(c, d, half_each), half_each);
#endif
}

// The reduction of the values of invocations lane, lane ^ x, lane ^ y and lane ^ x ^ y. Callers use the result of the
// invocation whose bits x and y are 0: for it these are the four texels in order.
ONEPASS_ELEMENT onepass_reduce_lanes(ONEPASS_ELEMENT value, uint x, uint y, uint lane) {
#ifdef ONEPASS_OWN_REDUCE4
  ONEPASS_ELEMENT v10 = onepass_swap(value, x, lane);
  ONEPASS_ELEMENT v01 = onepass_swap(value, y, lane);
  ONEPASS_ELEMENT v11 = onepass_swap(value, x ^ y, lane);
  return onepass_reduce4(value, v10, v01, v11);
#else
  const float2 half_each = float2(0.5, 0.5);
  ONEPASS_ELEMENT row = onepass_reduce2(value, onepass_swap(value, x, lane), half_each);
  return onepass_reduce2(row, onepass_swap(row, y, lane), half_each);
#endif
}

#ifdef ONEPASS_OWN_REDUCE4
// Invocation q of a quad reduces quadrant q of the tile: a transposition of the quad's 4x4 values, along x, then along
// y.
ONEPASS_ELEMENT onepass_reduce_quadrant(ONEPASS_ELEMENT value[4], uint lane) {
  bool odd_x = (lane & 1u) != 0u;
  bool odd_y = (lane & 2u) != 0u;
  // The quadrants of the column odd_x of quadrants: this invocation's texel and that of its neighbour.
  ONEPASS_ELEMENT upper = odd_x ? value[1] : value[0];
  ONEPASS_ELEMENT lower = odd_x ? value[3] : value[2];
  ONEPASS_ELEMENT upper_other = onepass_quad_swap_x(odd_x ? value[0] : value[1]);
  ONEPASS_ELEMENT lower_other = onepass_quad_swap_x(odd_x ? value[2] : value[3]);
  // The two texels of this invocation's row, from left to right.
  ONEPASS_ELEMENT upper_left = odd_x ? upper_other : upper;
  ONEPASS_ELEMENT upper_right = odd_x ? upper : upper_other;
  ONEPASS_ELEMENT lower_left = odd_x ? lower_other : lower;
  ONEPASS_ELEMENT lower_right = odd_x ? lower : lower_other;
  // Quadrant q: the row of this invocation and that of its neighbour.
  ONEPASS_ELEMENT left = odd_y ? lower_left : upper_left;
  ONEPASS_ELEMENT right = odd_y ? lower_right : upper_right;
  ONEPASS_ELEMENT left_other = onepass_quad_swap_y(odd_y ? upper_left : lower_left);
  ONEPASS_ELEMENT right_other = onepass_quad_swap_y(odd_y ? upper_right : lower_right);
  if (odd_y) return onepass_reduce4(left_other, right_other, left, right);
  return onepass_reduce4(left, right, left_other, right_other);
}
#endif

// Coordinates of number i in Morton order.
uint2 onepass_morton(uint i) {
  return uint2((i & 1u) | ((i >> 1u) & 2u) | ((i >> 2u) & 4u) | ((i >> 3u) & 8u),
               ((i >> 1u) & 1u) | ((i >> 2u) & 2u) | ((i >> 3u) & 4u) | ((i >> 4u) & 8u));
}

// Stores a texel in its image, and in the exchange buffer's level at `kept` unless that is ONEPASS_NOT_INTERMEDIATE.
void onepass_two_to_one_emit(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value, uint kept) {
  if (onepass_is_stored(level, texel)) onepass_store_level(level, texel, slice, value);
  uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, level);
  if (kept != ONEPASS_NOT_INTERMEDIATE && all(onepass_less(texel, size)))
    onepass_store_intermediate(kept + texel.y * size.x + texel.x, value);
}

// True for invocations that make the coarse levels of a tile, at most 4x4 texels. With subgroups of 16 or more
// invocations it is the first subgroup, while others proceed; with smaller ones all invocations, which exchange the
// texels through shared memory.
bool onepass_makes_coarse(uint lane) { return onepass_subgroup_size() < 16u || lane < onepass_subgroup_size(); }

// Makes levels `level` and `level` + 1 from 4x4 texels of the level before, one in each of 16 invocations in Morton
// order. Level `last` begins at `kept` in the exchange buffer; with `published` its texel is published too, at
// `parity`.
void onepass_two_to_one_last_two(uint level, uint last, uint2 tile, uint slice, uint kept, bool published, uint parity,
                                 ONEPASS_ELEMENT value, uint lane) {
  uint2 at = onepass_morton(lane & 15u);
  if (level <= last) {
    value = onepass_reduce_lanes(value, 1u, 2u, lane);
    if (lane < 16u && (lane & 3u) == 0u)
      onepass_two_to_one_emit(level, 2u * tile + (at >> 1u), slice, value,
                              level == last ? kept : ONEPASS_NOT_INTERMEDIATE);
  }
  if (level + 1u <= last) {
    value = onepass_reduce_lanes(value, 4u, 8u, lane);
#if ONEPASS_MAILBOX
    uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, last);
    if (published && lane == 0u && all(onepass_less(tile, size)))
      onepass_publish(slice, parity, tile.y * size.x + tile.x, value);
#endif
    if (lane == 0u)
      onepass_two_to_one_emit(level + 1u, tile, slice, value, level + 1u == last ? kept : ONEPASS_NOT_INTERMEDIATE);
  }
}

// The position in level 1, from a tile's first texel, of texel q of the four that an invocation holds.
uint2 onepass_two_to_one_place(uint q, uint lane) {
  uint2 at = onepass_morton(lane);
  if (ONEPASS_TEXEL_PAIRS) return uint2(2u * at.x + (q & 1u), at.y + 16u * (q >> 1u));
  return at + 16u * uint2(q & 1u, q >> 1u);
}

// Loads an invocation's four texels of level 1 of a tile. Texels beyond the image may have any value: nothing that
// depends on them is stored.
void onepass_two_to_one_load(uint2 tile, uint slice, uint lane, ONEPASS_OUT_ARRAY(ONEPASS_ELEMENT) value[4]) {
  if (ONEPASS_TEXEL_PAIRS) {
    onepass_load_base_pairs(tile * 32u + onepass_two_to_one_place(0u, lane), slice, value);
  } else {
    ONEPASS_UNROLL for (uint q = 0u; q < 4u; ++q) {
      value[q] = onepass_load_base_quad(tile * 32u + onepass_two_to_one_place(q, lane), slice);
    }
  }
}

// Stores these four texels.
void onepass_two_to_one_store(uint2 tile, uint slice, uint lane, ONEPASS_ELEMENT value[4]) {
  ONEPASS_UNROLL for (uint q = 0u; q < 4u; q += 2u) {
    uint2 left = tile * 32u + onepass_two_to_one_place(q, lane);
    uint2 right = tile * 32u + onepass_two_to_one_place(q + 1u, lane);
    bool stores_left = onepass_is_stored(1u, left);
    bool stores_right = onepass_is_stored(1u, right);
    if (ONEPASS_TEXEL_PAIRS && stores_left && stores_right) {
      onepass_store_pair(left, slice, value[q], value[q + 1u]);
    } else {
      if (stores_left) onepass_store_level(1u, left, slice, value[q]);
      if (stores_right) onepass_store_level(1u, right, slice, value[q + 1u]);
    }
  }
}

// Makes levels 1 to `depth` (3 to 6) of a tile of 64x64 texels of the base, of which `value` is loaded. With `more`,
// prefetches the tile to the right into `value` while it makes the coarser levels. `half_used`, 0 or 1, alternates from
// tile to tile. The last level begins at `kept` in the exchange buffer; `parity` is that of the mailbox.
void onepass_two_to_one_base_tile(uint depth, uint2 tile, uint slice, uint kept, uint parity, uint half_used, bool more,
                                  uint lane, ONEPASS_INOUT_ARRAY(ONEPASS_ELEMENT) value[4]) {
  uint2 at = onepass_morton(lane);
  onepass_two_to_one_store(tile, slice, lane, value);

  // Invocation q of a quad continues with quadrant q of the tile: each gives its neighbours their quadrants' values.
  // With pairs, whose texels along x are in one invocation, the two rows of a quad continue with the two halves of the
  // tile.
#ifdef ONEPASS_OWN_REDUCE4
  ONEPASS_ELEMENT mine = onepass_reduce_quadrant(value, lane);
#else
  bool odd_x = (lane & 1u) != 0u;
  bool odd_y = (lane & 2u) != 0u;
  const float2 half_each = float2(0.5, 0.5);
  ONEPASS_ELEMENT upper, lower;
  if (ONEPASS_TEXEL_PAIRS) {
    upper = onepass_reduce2(value[0], value[1], half_each);
    lower = onepass_reduce2(value[2], value[3], half_each);
  } else {
    upper = onepass_reduce2(odd_x ? value[1] : value[0], onepass_quad_swap_x(odd_x ? value[0] : value[1]), half_each);
    lower = onepass_reduce2(odd_x ? value[3] : value[2], onepass_quad_swap_x(odd_x ? value[2] : value[3]), half_each);
  }
  ONEPASS_ELEMENT mine = onepass_reduce2(odd_y ? lower : upper, onepass_quad_swap_y(odd_y ? upper : lower), half_each);
#endif
  uint2 quadrant = uint2(lane & 1u, (lane >> 1u) & 1u);
  uint2 place = 8u * quadrant + (at >> 1u);  // of `mine` in level 2
  if (ONEPASS_TEXEL_PAIRS) place.x = at.x;
  onepass_two_to_one_emit(2u, tile * 16u + place, slice, mine, ONEPASS_NOT_INTERMEDIATE);

  // Texels of level 2 are in the invocations that differ in bit 2, of pairs in bit 0, along x, and in bit 3 along y.
  const uint next_x = ONEPASS_TEXEL_PAIRS ? 1u : 4u;
  mine = onepass_reduce_lanes(mine, next_x, 8u, lane);
  uint2 offset = place >> 1u;
  if ((lane & (next_x | 8u)) == 0u) {
    onepass_two_to_one_emit(3u, tile * 8u + offset, slice, mine, depth == 3u ? kept : ONEPASS_NOT_INTERMEDIATE);
    // Double buffering: level 3 of the tile before may still be read.
    s_a[64u * half_used + 8u * offset.y + offset.x] = mine;
  }
  if (more) onepass_two_to_one_load(tile + uint2(1u, 0u), slice, lane, value);
  // No return: inlined, it would become a loop around the function, which compiles slowly.
  if (depth > 3u) {
    onepass_group_barrier();  // level 3 is complete
    if (onepass_makes_coarse(lane)) {
      uint2 coarse = onepass_morton(lane & 15u);
      uint i = 64u * half_used + 16u * coarse.y + 2u * coarse.x;
      mine = onepass_reduce_quad(s_a[i], s_a[i + 1u], s_a[i + 8u], s_a[i + 9u]);
      if (lane < 16u)
        onepass_two_to_one_emit(4u, tile * 4u + coarse, slice, mine, depth == 4u ? kept : ONEPASS_NOT_INTERMEDIATE);
      onepass_two_to_one_last_two(5u, depth, tile, slice, kept, onepass_publishes(), parity, mine, lane);
    }
  }
}

// Index in s_a of the 4x4 texels of a later stage's tile: behind the two buffers of stage 0, which may still be read.
#define ONEPASS_INTERMEDIATE_PART 128u

// Makes up to six levels of a later stage's tile of 64x64 texels. It reads the exchange buffer at `from`, or with
// `published` the mailbox, and writes its last level at `kept`.
void onepass_two_to_one_intermediate_tile(OnepassStage stage, uint2 tile, uint slice, uint from, bool published,
                                          uint kept, uint lane) {
  const float2 half_each = float2(0.5, 0.5);
  uint2 at = onepass_morton(lane);
  uint2 size = onepass_level_size2(ONEPASS_PARAMS.size, stage.first);
  uint last = stage.first + stage.depth;
  ONEPASS_ELEMENT mine;
#ifdef ONEPASS_OWN_REDUCE4
  ONEPASS_ELEMENT first_row[2];
#endif
  // All loads precede the first use; of wide elements half of them, to limit the register pressure of the whole kernel.
  ONEPASS_INTERMEDIATE_LOOP for (uint y = 0u; y < 2u; ++y) {
    ONEPASS_ELEMENT value[2];
#if ONEPASS_MAILBOX
    if (published) {
      ONEPASS_ELEMENT t[8];
      onepass_consume_4x2(64u * tile + 4u * at + uint2(0u, 2u * y), size, slice, t);
      value[0] = onepass_reduce_quad(t[0], t[1], t[2], t[3]);
      value[1] = onepass_reduce_quad(t[4], t[5], t[6], t[7]);
    } else
#endif
    {
      ONEPASS_UNROLL for (uint x = 0u; x < 2u; ++x) {
        uint2 fine = min(64u * tile + 4u * at + 2u * uint2(x, y), size - 1u);
        uint2 next = min(fine + 1u, size - 1u);
        uint upper = from + fine.y * size.x;
        uint lower = from + next.y * size.x;
        value[x] =
            onepass_reduce_quad(onepass_load_intermediate(upper + fine.x), onepass_load_intermediate(upper + next.x),
                                onepass_load_intermediate(lower + fine.x), onepass_load_intermediate(lower + next.x));
      }
    }
    ONEPASS_UNROLL for (uint x = 0u; x < 2u; ++x) {
      onepass_two_to_one_emit(stage.first + 1u, 32u * tile + 2u * at + uint2(x, y), slice, value[x],
                              stage.depth == 1u ? kept : ONEPASS_NOT_INTERMEDIATE);
    }
#ifdef ONEPASS_OWN_REDUCE4
    if (y == 0u) {
      first_row = value;
    } else {
      mine = onepass_reduce4(first_row[0], first_row[1], value[0], value[1]);
    }
#else
    ONEPASS_ELEMENT row = onepass_reduce2(value[0], value[1], half_each);
    mine = y == 0u ? row : onepass_reduce2(mine, row, half_each);
#endif
  }
  if (stage.depth > 1u)
    onepass_two_to_one_emit(stage.first + 2u, 16u * tile + at, slice, mine,
                            stage.depth == 2u ? kept : ONEPASS_NOT_INTERMEDIATE);
  if (stage.depth > 2u) {
    mine = onepass_reduce_lanes(mine, 1u, 2u, lane);
    if ((lane & 3u) == 0u)
      onepass_two_to_one_emit(stage.first + 3u, 8u * tile + (at >> 1u), slice, mine,
                              stage.depth == 3u ? kept : ONEPASS_NOT_INTERMEDIATE);
  }
  if (stage.depth > 3u) {
    mine = onepass_reduce_lanes(mine, 4u, 8u, lane);
    if ((lane & 15u) == 0u) {
      onepass_two_to_one_emit(stage.first + 4u, 4u * tile + (at >> 2u), slice, mine,
                              stage.depth == 4u ? kept : ONEPASS_NOT_INTERMEDIATE);
      s_a[ONEPASS_INTERMEDIATE_PART + 4u * (at.y >> 2u) + (at.x >> 2u)] = mine;
    }
  }
  if (stage.depth > 4u) {
    onepass_group_barrier();  // 4x4 texels are complete
    if (onepass_makes_coarse(lane)) {
      uint2 coarse = onepass_morton(lane & 15u);
      onepass_two_to_one_last_two(stage.first + 5u, last, tile, slice, kept, false, 0u,
                                  s_a[ONEPASS_INTERMEDIATE_PART + 4u * coarse.y + coarse.x], lane);
    }
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_PYRAMID_TWO_TO_ONE_GLSL_
