// tone_map.hlsl: tone_map.glsl for HLSL: the same text, the same macros and functions to define before including it.
#ifndef ONEPASS_TONE_MAP_HLSL_
#define ONEPASS_TONE_MAP_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/tone_map.glsl"

#endif  // ONEPASS_TONE_MAP_HLSL_
