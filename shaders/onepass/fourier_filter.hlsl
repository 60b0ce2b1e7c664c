// fourier_filter.hlsl: the filter gains of fourier_filter.glsl for HLSL. It includes that file; the macro to define
// before including it is the same.
#ifndef ONEPASS_FOURIER_FILTER_HLSL_
#define ONEPASS_FOURIER_FILTER_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/fourier_filter.glsl"

#endif  // ONEPASS_FOURIER_FILTER_HLSL_
