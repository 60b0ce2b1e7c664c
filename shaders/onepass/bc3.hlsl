// bc3.hlsl: bc3.glsl for HLSL: the encoder of BC3. It includes the same text.
#ifndef ONEPASS_BC3_HLSL_
#define ONEPASS_BC3_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/bc3.glsl"

#endif  // ONEPASS_BC3_HLSL_
