// reflection_march.hlsl: includes reflection_march.glsl as HLSL. The macros to define before including it are the same.
#ifndef ONEPASS_REFLECTION_MARCH_HLSL_
#define ONEPASS_REFLECTION_MARCH_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/reflection_march.glsl"

#endif  // ONEPASS_REFLECTION_MARCH_HLSL_
