// luminance.hlsl: luminance.glsl for HLSL: reads a meter's results in any shader stage. It includes the same text.
#ifndef ONEPASS_LUMINANCE_HLSL_
#define ONEPASS_LUMINANCE_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/luminance.glsl"

#endif  // ONEPASS_LUMINANCE_HLSL_
