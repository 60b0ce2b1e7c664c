// fourier.hlsl: fourier.glsl for HLSL: the same text, the same macros and functions to define before including it.
#ifndef ONEPASS_FOURIER_HLSL_
#define ONEPASS_FOURIER_HLSL_

#define ONEPASS_HLSL 1
#define line onepass_line  // a word of HLSL's, of geometry shaders
#define const              // glslang takes no specialization constants in what const begins
#include "onepass/fourier.glsl"
#undef const
#undef line

#endif  // ONEPASS_FOURIER_HLSL_
