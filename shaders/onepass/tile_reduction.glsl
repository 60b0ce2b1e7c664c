// tile_reduction.glsl: one coarser image in one dispatch. Each of its texels is the reduction of a tile of texels.
//
// A power of two of invocations reduces a tile of factor x factor texels. Each reads some blocks of 2x2 texels, spaced
// so that one read of all invocations is a compact square of texels; all reads of an invocation are in flight at once.
// Then the invocations combine their values, and the first stores the result:
//
//     factor 16: 16 invocations, 4 reads each     kTree      four values to one in shared memory, repeatedly
//     +---------------+---------------+           kSubgroup  shuffles; shared memory where a tile has more
//     | read 0: 4x4   | read 1        |                      invocations than a subgroup
//     | blocks, one   |               |
//     | per invocation|               |
//     +---------------+---------------+           A workgroup owns as many tiles, in a square, as it has invocations
//     | read 2        | read 3        |           for. Workgroups exchange nothing: no scratch memory, no second
//     +---------------+---------------+           pass, no atomics on device memory.
//
// Lookup: coarse texel (x / factor, y / factor) stands for texel (x, y).
// Source: M. Turitzin, "Hierarchical Depth Buffers", 2020, technique 2 (there with atomics); M. Harris, "Optimizing
// Parallel Reduction in CUDA", 2007 (`tree`).
//
// Define before including:
//     ONEPASS_ELEMENT               the type of a texel inside the kernel: float, float2 or float4
//     ONEPASS_TILE_COMPONENTS       its number of components: 1, 2 or 4
//     ONEPASS_TILE_STRATEGY         a number ONEPASS_TILE_ below; ONEPASS_TILE_SUBGROUP needs ONEPASS_SUBGROUP
//     ONEPASS_TILE_SIDE_LOG2        constants, best specialization constants: log2 of a tile's side in blocks
//                                   (factor / 2);
//     ONEPASS_TILE_READS_LOG2       log2 of the blocks per invocation, at most 16 and at most those of a tile;
//     ONEPASS_TILE_GROUP_LOG2       log2 of the invocations per workgroup, at most 512 and at least those of a tile
//     ONEPASS_TILE_COUNT            uint2: size of the coarse image. onepass_tile_setup() of onepass/shader_setup.h
//                                   computes the last four, and the workgroups
// and these functions:
//     ONEPASS_ELEMENT onepass_load_block(uint2 texel, uint slice)
//         reduction of the 2x2 texels at `texel`. Texels outside the image are zero in a mean; in min and max they may
//         be any texel of the same tile: clamped coordinates give that
//     ONEPASS_ELEMENT onepass_reduce(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b)
//     void onepass_store_tile(uint2 tile, uint slice, ONEPASS_ELEMENT value)
// Or define ONEPASS_REDUCTION (ONEPASS_MEAN, _MIN, _MAX, _MIN_MAX) and ONEPASS_TILE_SOURCE_SIZE, uint2, and of these
// only onepass_store_tile and
//     ONEPASS_ELEMENT onepass_load_texel(uint2 texel, uint slice)     one texel, inside the image
// then call onepass_tile_reduction(gl_WorkGroupID) from a main() of local size 2^ONEPASS_TILE_GROUP_LOG2 in x.
// docs/shaders/ has a shader. In HLSL include tile_reduction.hlsl.
#ifndef ONEPASS_TILE_REDUCTION_GLSL_
#define ONEPASS_TILE_REDUCTION_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"
#include "onepass/prelude_names.glsl"

#define ONEPASS_TILE_TREE 2
#define ONEPASS_TILE_SUBGROUP 3

#ifndef ONEPASS_ELEMENT
#error "tile_reduction: define ONEPASS_ELEMENT, the type of a texel inside the kernel: float, float2 or float4."
#endif
#if !defined(ONEPASS_TILE_COMPONENTS) || \
    (ONEPASS_TILE_COMPONENTS != 1 && ONEPASS_TILE_COMPONENTS != 2 && ONEPASS_TILE_COMPONENTS != 4)
#error "tile_reduction: define ONEPASS_TILE_COMPONENTS, the number of components of ONEPASS_ELEMENT: 1, 2 or 4."
#endif
#if !defined(ONEPASS_TILE_STRATEGY) || ONEPASS_TILE_STRATEGY < 2 || ONEPASS_TILE_STRATEGY > 3
#error "tile_reduction: define ONEPASS_TILE_STRATEGY: ONEPASS_TILE_TREE (2) or ONEPASS_TILE_SUBGROUP (3)."
#endif
#if ONEPASS_TILE_STRATEGY == ONEPASS_TILE_SUBGROUP && !ONEPASS_SUBGROUP
#error "tile_reduction: ONEPASS_TILE_SUBGROUP shuffles: define ONEPASS_SUBGROUP 1, or take ONEPASS_TILE_TREE."
#endif
#if defined(ONEPASS_REDUCTION) && !defined(ONEPASS_TILE_SOURCE_SIZE)
#error "tile_reduction: ONEPASS_REDUCTION needs ONEPASS_TILE_SOURCE_SIZE, a uint2: texels beyond it are ignored."
#endif
#ifdef ONEPASS_REDUCTION
#if ONEPASS_REDUCTION == ONEPASS_MIN_MAX && ONEPASS_TILE_COMPONENTS != 2
#error "tile_reduction: ONEPASS_MIN_MAX has two components, the least and the most: ONEPASS_ELEMENT float2."
#endif
#endif

// Compilers that know ONEPASS_TILE_READS_LOG2 too late to unroll the loop over reads are given a bound of it.
#ifndef ONEPASS_TILE_READS_BOUND
#define ONEPASS_TILE_READS_BOUND (1u << ONEPASS_TILE_READS_LOG2)
#define ONEPASS_TILE_READS_END
#else
#define ONEPASS_TILE_READS_END \
  if (i >= (1u << ONEPASS_TILE_READS_LOG2)) continue;
#endif

#define ONEPASS_TILE_LANES_LOG2 (2u * ONEPASS_TILE_SIDE_LOG2 - ONEPASS_TILE_READS_LOG2)
#define ONEPASS_TILE_INVOCATIONS (1u << ONEPASS_TILE_LANES_LOG2)

#ifdef ONEPASS_REDUCTION
ONEPASS_ELEMENT onepass_reduce(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b) {
#if ONEPASS_REDUCTION == ONEPASS_MEAN
  return a + b;
#elif ONEPASS_REDUCTION == ONEPASS_MIN
  return min(a, b);
#elif ONEPASS_REDUCTION == ONEPASS_MAX
  return max(a, b);
#else
  return ONEPASS_ELEMENT(min(a.x, b.x), max(a.y, b.y));
#endif
}
// A texel of a block. Beyond the image it is zero in a mean, else clamped.
ONEPASS_ELEMENT onepass_tile_texel(uint2 texel, uint slice) {
  ONEPASS_ELEMENT value = onepass_load_texel(min(texel, ONEPASS_TILE_SOURCE_SIZE - 1u), slice);
#if ONEPASS_REDUCTION == ONEPASS_MEAN
  if (any(onepass_greater_equal(texel, ONEPASS_TILE_SOURCE_SIZE))) {
#if ONEPASS_TILE_COMPONENTS == 1
    value = 0.0;
#else
    ONEPASS_UNROLL for (uint c = 0u; c < ONEPASS_TILE_COMPONENTS; ++c) value[c] = 0.0;
#endif
  }
#endif
  return value;
}
ONEPASS_ELEMENT onepass_load_block(uint2 texel, uint slice) {
  return onepass_reduce(
      onepass_reduce(onepass_tile_texel(texel, slice), onepass_tile_texel(texel + uint2(1u, 0u), slice)),
      onepass_reduce(onepass_tile_texel(texel + uint2(0u, 1u), slice), onepass_tile_texel(texel + 1u, slice)));
}
#endif

/// Column and row of number `index` in rows of 2^columns_log2.
uint2 onepass_tile_place(uint index, uint columns_log2) {
  return uint2(index & ((1u << columns_log2) - 1u), index >> columns_log2);
}

/// The reduction of the blocks that one invocation of a tile reads.
ONEPASS_ELEMENT onepass_tile_share(uint2 tile, uint lane, uint slice) {
  ONEPASS_CONST uint columns_log2 = (ONEPASS_TILE_LANES_LOG2 + 1u) >> 1u;
  ONEPASS_CONST uint rows_log2 = ONEPASS_TILE_LANES_LOG2 >> 1u;
  uint2 block = (tile << ONEPASS_TILE_SIDE_LOG2) + onepass_tile_place(lane, columns_log2);
  ONEPASS_ELEMENT value = onepass_load_block(2u * block, slice);
  ONEPASS_UNROLL for (uint i = 1u; i < ONEPASS_TILE_READS_BOUND; ++i) {
    ONEPASS_TILE_READS_END
    uint2 read = onepass_tile_place(i, ONEPASS_TILE_SIDE_LOG2 - columns_log2);
    uint2 at = block + uint2(read.x << columns_log2, read.y << rows_log2);
    value = onepass_reduce(value, onepass_load_block(2u * at, slice));
  }
  return value;
}

#if ONEPASS_TILE_STRATEGY == ONEPASS_TILE_TREE

groupshared ONEPASS_ELEMENT s_tile_parts[ONEPASS_TILE_MOST_GROUP];

ONEPASS_ELEMENT onepass_tile_join(ONEPASS_ELEMENT value, uint lane) {
  if (ONEPASS_TILE_INVOCATIONS == 1u) return value;
  uint in_tile = lane & (ONEPASS_TILE_INVOCATIONS - 1u);
  s_tile_parts[lane] = value;
  for (uint count = ONEPASS_TILE_INVOCATIONS; count > 1u; count = max(count >> 2u, 1u)) {
    onepass_group_barrier();  // the values to combine are written
    uint joined = max(count >> 2u, 1u);
    if (in_tile < joined) {
      ONEPASS_ELEMENT sum = onepass_reduce(s_tile_parts[lane], s_tile_parts[lane + joined]);
      if (count > 2u) {
        sum = onepass_reduce(sum, onepass_reduce(s_tile_parts[lane + 2u * joined], s_tile_parts[lane + 3u * joined]));
      }
      s_tile_parts[lane] = sum;
    }
  }
  return s_tile_parts[lane];  // a tile's first invocation wrote this value itself
}

#else

groupshared ONEPASS_ELEMENT s_tile_parts[ONEPASS_TILE_MOST_GROUP / 4];  // one per subgroup, of four invocations or more

ONEPASS_ELEMENT onepass_tile_join(ONEPASS_ELEMENT value, uint lane) {
  uint size = onepass_subgroup_size();
  uint width = min(ONEPASS_TILE_INVOCATIONS, size);
  for (uint mask = 1u; mask < width; mask <<= 1u) value = onepass_reduce(value, onepass_shuffle_xor(value, mask));
  if (ONEPASS_TILE_INVOCATIONS > size) {
    uint part = lane / size;
    uint parts = ONEPASS_TILE_INVOCATIONS / size;
    uint first = (lane >> ONEPASS_TILE_LANES_LOG2) * parts;
    if (part * size == lane) s_tile_parts[part] = value;
    onepass_group_barrier();  // every subgroup's value is written
    value = s_tile_parts[first];
    for (uint i = 1u; i < parts; ++i) value = onepass_reduce(value, s_tile_parts[first + i]);
  }
  return value;
}

#endif

/// The kernel: a workgroup reduces a square of tiles.
void onepass_tile_reduction(uint3 group) {
  ONEPASS_CONST uint tiles_log2 = ONEPASS_TILE_GROUP_LOG2 - ONEPASS_TILE_LANES_LOG2;
  ONEPASS_CONST uint columns_log2 = (tiles_log2 + 1u) >> 1u;
  ONEPASS_CONST uint rows_log2 = tiles_log2 >> 1u;
  uint lane = onepass_workgroup_index();
  uint in_tile = lane & (ONEPASS_TILE_INVOCATIONS - 1u);
  uint2 tile = uint2(group.x << columns_log2, group.y << rows_log2) +
               onepass_tile_place(lane >> ONEPASS_TILE_LANES_LOG2, columns_log2);
  // Tiles beyond the last one are reduced too, from clamped reads, but not stored.
  ONEPASS_ELEMENT value = onepass_tile_join(onepass_tile_share(tile, in_tile, group.z), lane);
#if defined(ONEPASS_REDUCTION) && ONEPASS_REDUCTION == ONEPASS_MEAN
  uint2 begin = tile << (ONEPASS_TILE_SIDE_LOG2 + 1u);
  uint2 texels = min(begin + (2u << ONEPASS_TILE_SIDE_LOG2), ONEPASS_TILE_SOURCE_SIZE) - begin;
  value *= 1.0 / float(texels.x * texels.y);
#endif
  if (in_tile == 0u && all(onepass_less(tile, ONEPASS_TILE_COUNT))) onepass_store_tile(tile, group.z, value);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_TILE_REDUCTION_GLSL_
