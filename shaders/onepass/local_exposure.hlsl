// local_exposure.hlsl: local_exposure.glsl for HLSL: the factor of local exposure for a texel. It includes the same
// text; define the same macro before including it.
#ifndef ONEPASS_LOCAL_EXPOSURE_HLSL_
#define ONEPASS_LOCAL_EXPOSURE_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/local_exposure.glsl"

#endif  // ONEPASS_LOCAL_EXPOSURE_HLSL_
