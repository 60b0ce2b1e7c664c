// local_exposure_grid.hlsl: local_exposure_grid.glsl for HLSL: makes the grid of local exposure in one dispatch. It
// includes the same text; define the same macros and functions before including it.
//
// Call onepass_local_grid(group, index) from an entry point of ONEPASS_LOCAL_GROUP threads, with its SV_GroupID and
// SV_GroupIndex.
#ifndef ONEPASS_LOCAL_EXPOSURE_GRID_HLSL_
#define ONEPASS_LOCAL_EXPOSURE_GRID_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/local_exposure_grid.glsl"

void onepass_local_grid(uint3 group, uint index) {
  onepass_group_index = index;
  onepass_local_grid(group);
}

#endif  // ONEPASS_LOCAL_EXPOSURE_GRID_HLSL_
