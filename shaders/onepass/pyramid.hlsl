// pyramid.hlsl: includes pyramid.glsl as HLSL. The macros and functions to define before including it are the same.
//
// Call onepass_pyramid(group, index) from an entry point of 256 threads, with its SV_GroupID and SV_GroupIndex.
#ifndef ONEPASS_PYRAMID_HLSL_
#define ONEPASS_PYRAMID_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/pyramid.glsl"

void onepass_pyramid(uint3 group, uint index) {
  onepass_group_index = index;
  onepass_pyramid(group);
}

#endif  // ONEPASS_PYRAMID_HLSL_
