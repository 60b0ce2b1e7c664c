// luminance.hlsl: luminance.glsl for HLSL: the same text, the same macros and functions to define before including it.
#ifndef ONEPASS_LUMINANCE_HLSL_
#define ONEPASS_LUMINANCE_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/luminance.glsl"

#endif  // ONEPASS_LUMINANCE_HLSL_
