// tile_reduction.hlsl: includes tile_reduction.glsl as HLSL. The macros and functions to define before including it are
// the same.
//
// Call onepass_tile_reduction(group, index) from an entry point of 2^ONEPASS_TILE_GROUP_LOG2 threads, with its
// SV_GroupID and SV_GroupIndex.
#ifndef ONEPASS_TILE_REDUCTION_HLSL_
#define ONEPASS_TILE_REDUCTION_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/tile_reduction.glsl"

void onepass_tile_reduction(uint3 group, uint index) {
  onepass_group_index = index;
  onepass_tile_reduction(group);
}

#endif  // ONEPASS_TILE_REDUCTION_HLSL_
