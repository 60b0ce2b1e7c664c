// luminance_meter.hlsl: luminance_meter.glsl for HLSL: all statistics of an image's luminance in one dispatch. It
// includes the same text; define the same macros and functions before including it.
//
// Call onepass_meter(group, index) from an entry point of 256 threads, with its SV_GroupID and SV_GroupIndex.
#ifndef ONEPASS_LUMINANCE_METER_HLSL_
#define ONEPASS_LUMINANCE_METER_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/luminance_meter.glsl"

void onepass_meter(uint3 group, uint index) {
  onepass_group_index = index;
  onepass_meter(group);
}

#endif  // ONEPASS_LUMINANCE_METER_HLSL_
