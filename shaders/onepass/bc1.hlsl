// bc1.hlsl: bc1.glsl for HLSL: the encoder of BC1 and of the colours of BC3. It includes the same text.
#ifndef ONEPASS_BC1_HLSL_
#define ONEPASS_BC1_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/bc1.glsl"

#endif  // ONEPASS_BC1_HLSL_
