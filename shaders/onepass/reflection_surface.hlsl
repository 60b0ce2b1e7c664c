// reflection_surface.hlsl: includes reflection_surface.glsl as HLSL.
#ifndef ONEPASS_REFLECTION_SURFACE_HLSL_
#define ONEPASS_REFLECTION_SURFACE_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/reflection_surface.glsl"

#endif  // ONEPASS_REFLECTION_SURFACE_HLSL_
