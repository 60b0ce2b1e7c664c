// bc4.hlsl: bc4.glsl for HLSL: the encoder of BC4 and of the halves of BC5. It includes the same text.
#ifndef ONEPASS_BC4_HLSL_
#define ONEPASS_BC4_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/bc4.glsl"

#endif  // ONEPASS_BC4_HLSL_
