// tone_map.hlsl: tone_map.glsl for HLSL: functions that map a texel of linear light to the stored value. It includes
// the same text; define the same macros before including it.
#ifndef ONEPASS_TONE_MAP_HLSL_
#define ONEPASS_TONE_MAP_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/tone_map.glsl"

#endif  // ONEPASS_TONE_MAP_HLSL_
