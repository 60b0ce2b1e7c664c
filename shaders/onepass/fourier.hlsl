// fourier.hlsl: the transforms of fourier.glsl for HLSL. It includes that file; the macros and functions to define
// before including it are the same.
#ifndef ONEPASS_FOURIER_HLSL_
#define ONEPASS_FOURIER_HLSL_

#define ONEPASS_HLSL 1
#define line onepass_line  // an HLSL keyword (geometry shaders)
#define const              // glslang rejects specialization constants in const declarations
#include "onepass/fourier.glsl"
#undef const
#undef line

#endif  // ONEPASS_FOURIER_HLSL_
