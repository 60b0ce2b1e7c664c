// spd.hlsl: includes spd.glsl as HLSL. The macros and functions to define before including it are the same.
#ifndef ONEPASS_SPD_HLSL_
#define ONEPASS_SPD_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/spd.glsl"

#endif  // ONEPASS_SPD_HLSL_
