// bc6h.hlsl: bc6h.glsl for HLSL: the encoder of BC6H. It includes the same text.
#ifndef ONEPASS_BC6H_HLSL_
#define ONEPASS_BC6H_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/bc6h.glsl"

#endif  // ONEPASS_BC6H_HLSL_
