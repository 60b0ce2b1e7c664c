// bc7.hlsl: bc7.glsl for HLSL: the encoder of BC7. It includes the same text.
#ifndef ONEPASS_BC7_HLSL_
#define ONEPASS_BC7_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/bc7.glsl"

#endif  // ONEPASS_BC7_HLSL_
