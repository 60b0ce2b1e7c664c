// reflection_denoise.hlsl: includes reflection_denoise.glsl as HLSL. The macros to define before including it are the
// same.
#ifndef ONEPASS_REFLECTION_DENOISE_HLSL_
#define ONEPASS_REFLECTION_DENOISE_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/reflection_denoise.glsl"

#endif  // ONEPASS_REFLECTION_DENOISE_HLSL_
