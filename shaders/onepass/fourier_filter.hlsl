// fourier_filter.hlsl: fourier_filter.glsl for HLSL: the same text, the same macro to define before including it.
#ifndef ONEPASS_FOURIER_FILTER_HLSL_
#define ONEPASS_FOURIER_FILTER_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/fourier_filter.glsl"

#endif  // ONEPASS_FOURIER_FILTER_HLSL_
