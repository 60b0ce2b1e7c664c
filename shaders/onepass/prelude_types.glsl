// prelude_types.glsl: the comparisons, bit casts and qualifiers that GLSL and HLSL spell differently. Valid in every
// shader stage, unlike the rest of the prelude, which is for compute shaders. In HLSL it includes prelude_types.hlsl.
#ifndef ONEPASS_PRELUDE_TYPES_GLSL_
#define ONEPASS_PRELUDE_TYPES_GLSL_

#ifdef ONEPASS_HLSL
#include "onepass/prelude_types.hlsl"
#else
#ifdef ONEPASS_CUDA
#include "onepass/prelude.cuh"
#else

#ifdef ONEPASS_KEEP_NAMES
#include "onepass/prelude_names.glsl"
#endif

// Types in macros that are expanded after the header, where the names of prelude_names.glsl may be undefined.
#define onepass_float2 vec2
#define onepass_float4 vec4

#define ONEPASS_CONST const  // qualifier of a local scalar computed from constants
#define ONEPASS_TABLE const  // qualifier of a global array of constants
#define ONEPASS_OUT(type) out type
#define ONEPASS_INOUT(type) inout type
#define ONEPASS_OUT_ARRAY(type) out type
#define ONEPASS_INOUT_ARRAY(type) inout type
#define ONEPASS_PRIVATE  // qualifier of a global variable that is private to the invocation

// Component-wise comparisons of vectors, for all() and any().
#define onepass_less(a, b) lessThan(a, b)
#define onepass_greater(a, b) greaterThan(a, b)
#define onepass_greater_equal(a, b) greaterThanEqual(a, b)

#define onepass_zero(type) type(0)
#define onepass_float_bits(value) floatBitsToUint(value)
#define onepass_bits_float(bits) uintBitsToFloat(bits)
#define onepass_highest_bit(value) uint(findMSB(value))  // the value must not be 0
#define onepass_highest_bit2(value) uvec2(findMSB(value))
#define onepass_transform(matrix, vector) ((matrix) * (vector))

#endif  // ONEPASS_CUDA
#endif  // ONEPASS_HLSL
#endif  // ONEPASS_PRELUDE_TYPES_GLSL_
