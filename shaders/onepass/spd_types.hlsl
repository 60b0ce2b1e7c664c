// spd_types.hlsl: includes spd_types.glsl as HLSL.
#ifndef ONEPASS_SPD_TYPES_HLSL_
#define ONEPASS_SPD_TYPES_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/spd_types.glsl"

#endif  // ONEPASS_SPD_TYPES_HLSL_
