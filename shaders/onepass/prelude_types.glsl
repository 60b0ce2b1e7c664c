// prelude_types.glsl: the vector types, comparisons and bit casts that GLSL and HLSL spell differently. Valid in every
// shader stage, unlike the rest of the prelude, which is for compute shaders. In HLSL it includes prelude_types.hlsl.
#ifndef ONEPASS_PRELUDE_TYPES_GLSL_
#define ONEPASS_PRELUDE_TYPES_GLSL_

#ifdef ONEPASS_HLSL
#include "onepass/prelude_types.hlsl"
#else

#define int2 ivec2
#define int3 ivec3
#define uint2 uvec2
#define uint3 uvec3
#define uint4 uvec4
#define float2 vec2
#define float3 vec3
#define float4 vec4
#define float4x4 mat4

#define ONEPASS_CONST const  // qualifier of a local scalar computed from constants
#define ONEPASS_TABLE const  // qualifier of a global array of constants
#define ONEPASS_PRIVATE      // qualifier of a global variable that is private to the invocation

// Component-wise comparisons of vectors, for all() and any().
#define onepass_less(a, b) lessThan(a, b)
#define onepass_greater(a, b) greaterThan(a, b)
#define onepass_greater_equal(a, b) greaterThanEqual(a, b)

#define onepass_zero(type) type(0)
#define onepass_float_bits(value) floatBitsToUint(value)
#define onepass_bits_float(bits) uintBitsToFloat(bits)
#define onepass_highest_bit(value) uint(findMSB(value))  // the value must not be 0
#define onepass_highest_bit2(value) uint2(findMSB(value))
#define onepass_transform(matrix, vector) ((matrix) * (vector))

#endif  // ONEPASS_HLSL
#endif  // ONEPASS_PRELUDE_TYPES_GLSL_
