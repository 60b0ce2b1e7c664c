// local_exposure_grid.glsl: makes the grid of local exposure, and blurs it, in one dispatch that reads the image once.
//
// A workgroup owns a region of the image. Atomics in shared memory add the integer weights of each texel to the two
// nodes nearest to its luminance; each of 32 consecutive invocations has its own copy of the nodes, so that they do not
// contend. The workgroup then increments the counters of its own region and of the eight around it. The last
// workgroup to increment a region's counter blurs that region: all nodes that this needs are written then. No workgroup
// waits for another, and the bits do not depend on their order. Counters return to zero. CPU version:
// src/tone_map/local_exposure.cpp.
//
// Before including it, define
//   ONEPASS_LOCAL_PARAMS                     a LocalGridParams of local_exposure_params.h, which the host program fills
//   float4 onepass_load_texel(uint2 texel, uint slice)  inside the image; grey in three channels
//   and buffers, the first two ONEPASS_COHERENT:
//   onepass_local_counters[]  uint, one per region, zeroed before the first use
//   onepass_local_raw[]       float2, ONEPASS_LOCAL_BINS per region: scratch memory
//   onepass_local_nodes[]     float2, ONEPASS_LOCAL_BINS per region: the grid
// Then call onepass_local_grid(gl_WorkGroupID) from a main() of ONEPASS_LOCAL_GROUP invocations: a workgroup for each
// region, slices in z.
#ifndef ONEPASS_LOCAL_EXPOSURE_GRID_GLSL_
#define ONEPASS_LOCAL_EXPOSURE_GRID_GLSL_

#include "onepass/prelude.glsl"
#include "onepass/local_exposure.glsl"
#include "onepass/prelude_names.glsl"

groupshared uint s_local_weights[ONEPASS_LOCAL_BINS * ONEPASS_LOCAL_COPIES];
groupshared uint s_local_between[ONEPASS_LOCAL_BINS * ONEPASS_LOCAL_COPIES];
groupshared float s_local_offsets[ONEPASS_LOCAL_BINS];
groupshared uint s_local_last[9];  // 1 for each of the 3x3 regions around this one that this workgroup completed

/// a * b / ONEPASS_LOCAL_ONE, rounded to nearest, for a + b = ONEPASS_LOCAL_ONE: the product, up to 2^38, does not fit.
uint onepass_local_product(uint a, uint b) { return (a * (b >> 10u) + (a * (b & 1023u) >> 10u) + 512u) >> 10u; }

/// Adds the weights of a texel to its two nodes.
void onepass_local_share_out(float3 c, bool counts, uint copy) {
  LocalPlace place = onepass_local_place(c);
  uint above = uint(place.above * float(ONEPASS_LOCAL_ONE) + 0.5);
  uint below = ONEPASS_LOCAL_ONE - above;
  uint at = place.node * ONEPASS_LOCAL_COPIES + copy;
  if (place.colour && counts) {
    onepass_shared_add(s_local_weights[at], below);
    onepass_shared_add(s_local_weights[at + ONEPASS_LOCAL_COPIES], above);
    onepass_shared_add(s_local_between[at], onepass_local_product(below, above));
  }
}

/// The position in a tile of an invocation's texel: 32 invocations read 8x4 texels, or, in images that are not tiled,
/// 16 of each of two rows.
uint2 onepass_local_in_tile(uint lane) {
#ifdef ONEPASS_LINEAR_MEMORY
  return uint2(lane & 15u, lane >> 4u);
#else
  return uint2((lane & 7u) + 8u * (lane >> 5u & 1u), (lane >> 3u & 3u) + 4u * (lane >> 6u));
#endif
}

/// Adds the region's texels to the nodes. An invocation has four texels in flight.
void onepass_local_sum(uint2 region, uint slice, uint lane) {
  const uint in_flight = 4u;
  uint side = ONEPASS_LOCAL_PARAMS.side;
  uint2 size = uint2(ONEPASS_LOCAL_PARAMS.width, ONEPASS_LOCAL_PARAMS.height);
  uint tiles = side / ONEPASS_LOCAL_TILE;
  uint2 first = region * side + onepass_local_in_tile(lane);
  for (uint tile = 0u; tile < tiles * tiles; tile += in_flight) {
    float4 texels[in_flight];
    ONEPASS_UNROLL for (uint k = 0u; k < in_flight; ++k) {
      uint2 at = first + ONEPASS_LOCAL_TILE * uint2((tile + k) % tiles, (tile + k) / tiles);
      texels[k] = onepass_load_texel(min(at, size - 1u), slice);
    }
    ONEPASS_UNROLL for (uint k = 0u; k < in_flight; ++k) {
      uint2 at = first + ONEPASS_LOCAL_TILE * uint2((tile + k) % tiles, (tile + k) / tiles);
      bool inside = tile + k < tiles * tiles && at.x < size.x && at.y < size.y;
      onepass_local_share_out(texels[k].rgb, inside, lane % ONEPASS_LOCAL_COPIES);
    }
  }
}

/// The weight of a node, summed over its copies. The lower 16 bits and the rest are summed separately: neither
/// overflows, and only the last addition rounds.
float onepass_local_weight(uint node) {
  uint low = 0u, high = 0u;
  for (uint k = 0u; k < ONEPASS_LOCAL_COPIES; ++k) {
    uint weight = s_local_weights[node * ONEPASS_LOCAL_COPIES + (node + k) % ONEPASS_LOCAL_COPIES];
    low += weight & 0xFFFFu;
    high += weight >> 16u;
  }
  return (float(high) * 65536.0 + float(low)) * (1.0 / float(ONEPASS_LOCAL_ONE));
}

/// The same for the products of weights at a node and at the next one.
float onepass_local_between_sum(uint node) {
  uint low = 0u, high = 0u;
  for (uint k = 0u; k < ONEPASS_LOCAL_COPIES; ++k) {
    uint between = s_local_between[node * ONEPASS_LOCAL_COPIES + (node + k) % ONEPASS_LOCAL_COPIES];
    low += between & 0xFFFFu;
    high += between >> 16u;
  }
  return (float(high) * 65536.0 + float(low)) * (1.0 / float(ONEPASS_LOCAL_ONE));
}

/// The number of regions in one row or column of the 3x3 around `at`.
uint onepass_local_neighbours(uint at, uint regions) { return min(at + 1u, regions - 1u) - (max(at, 1u) - 1u) + 1u; }

/// Increments the counters of the 3x3 regions around this one, and notes in s_local_last which of them it completed.
/// The protocol is that of the fenced counters in workgroup_exchange.glsl.
void onepass_local_arrive(uint2 region, uint first_region, uint lane) {
  uint2 regions = uint2(ONEPASS_LOCAL_PARAMS.columns, ONEPASS_LOCAL_PARAMS.rows);
  onepass_release();
  onepass_exchange_barrier();  // the region's nodes are written
  if (lane < 9u) {
    uint2 at = region + uint2(lane % 3u, lane / 3u) - 1u;  // -1 wraps to a large number
    uint last = 0u;
    if (at.x < regions.x && at.y < regions.y) {
      uint counter = first_region + at.y * regions.x + at.x;
      onepass_release();
      uint before;
      onepass_atomic_add_before(onepass_local_counters[counter], 1u, before);
      onepass_acquire();
      uint expected = onepass_local_neighbours(at.x, regions.x) * onepass_local_neighbours(at.y, regions.y);
      last = before + 1u == expected ? 1u : 0u;
      if (last != 0u) onepass_atomic_store(onepass_local_counters[counter], 0u);
    }
    s_local_last[lane] = last;
  }
  onepass_exchange_barrier();  // all know which regions are complete
  onepass_acquire();
}

/// One node of a complete region, blurred over 3x3 regions and 3 nodes.
float2 onepass_local_blur(uint2 at, uint node, uint first_region) {
  uint2 regions = uint2(ONEPASS_LOCAL_PARAMS.columns, ONEPASS_LOCAL_PARAMS.rows);
  float2 sum = float2(0.0, 0.0);
  ONEPASS_UNROLL for (uint k = 0u; k < 9u; ++k) {
    uint2 from = at + uint2(k % 3u, k / 3u) - 1u;  // -1 wraps to a large number
    bool inside = from.x < regions.x && from.y < regions.y;
    float scale = inside ? (from.y == at.y ? 0.5 : 0.25) * (from.x == at.x ? 0.5 : 0.25) : 0.0;
    if (!inside) from = at;  // memory that is not written yet may hold NaN, and 0 times NaN is NaN
    uint i = (first_region + from.y * regions.x + from.x) * ONEPASS_LOCAL_BINS + node;
    float2 here = onepass_local_raw[i];
    float2 low = node > 0u ? onepass_local_raw[i - 1u] : float2(0.0, 0.0);
    float2 high = node + 1u < ONEPASS_LOCAL_BINS ? onepass_local_raw[i + 1u] : float2(0.0, 0.0);
    sum.x += scale * (2.0 * here.x + (low.x + high.x));
    sum.y += scale * (2.0 * here.y + (low.y + high.y) + (high.x - low.x));
  }
  return sum;
}

/// The kernel. `group` is gl_WorkGroupID: the region in x and y, the slice in z.
void onepass_local_grid(uint3 group) {
  uint lane = onepass_invocation_index();
  uint columns = ONEPASS_LOCAL_PARAMS.columns;
  uint first_region = group.z * columns * ONEPASS_LOCAL_PARAMS.rows;
  const uint words = ONEPASS_LOCAL_BINS * ONEPASS_LOCAL_COPIES;
  for (uint first = 0u; first < words; first += ONEPASS_LOCAL_GROUP) {
    uint i = min(first + lane, words - 1u);
    s_local_weights[i] = 0u;
    s_local_between[i] = 0u;
  }
  onepass_group_barrier();  // all nodes are empty
  onepass_local_sum(group.xy, group.z, lane);
  onepass_group_barrier();  // all texels are added
  uint own = min(lane, ONEPASS_LOCAL_BINS - 1u);
  float weight = onepass_local_weight(own);
  float between = onepass_local_between_sum(own);
  if (lane < ONEPASS_LOCAL_BINS) s_local_offsets[lane] = between;
  onepass_group_barrier();  // a node's offset needs the products of the node below
  if (lane < ONEPASS_LOCAL_BINS) {
    float below = lane > 0u ? s_local_offsets[lane - 1u] : 0.0;
    uint region = first_region + group.y * columns + group.x;
    onepass_local_raw[region * ONEPASS_LOCAL_BINS + lane] = float2(weight, between - below);
  }
  onepass_local_arrive(group.xy, first_region, lane);
  for (uint first = 0u; first < 9u * ONEPASS_LOCAL_BINS; first += ONEPASS_LOCAL_GROUP) {
    uint item = first + lane;
    uint k = min(item / ONEPASS_LOCAL_BINS, 8u);
    if (item < 9u * ONEPASS_LOCAL_BINS && s_local_last[k] != 0u) {
      uint2 at = group.xy + uint2(k % 3u, k / 3u) - 1u;
      uint node = item % ONEPASS_LOCAL_BINS;
      uint region = first_region + at.y * columns + at.x;
      onepass_local_nodes[region * ONEPASS_LOCAL_BINS + node] = onepass_local_blur(at, node, first_region);
    }
  }
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LOCAL_EXPOSURE_GRID_GLSL_
