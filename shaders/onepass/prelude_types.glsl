// prelude_types.glsl: the vector types and reinterpretations that GLSL and HLSL spell differently. Valid in every shader
// stage, unlike the rest of the prelude, which is for compute shaders.
#ifndef ONEPASS_PRELUDE_TYPES_GLSL_
#define ONEPASS_PRELUDE_TYPES_GLSL_

#define int2 ivec2
#define int3 ivec3
#define uint2 uvec2
#define uint3 uvec3
#define uint4 uvec4
#define float2 vec2
#define float3 vec3
#define float4 vec4
#define float4x4 mat4

#define onepass_float_bits(value) floatBitsToUint(value)
#define onepass_bits_float(bits) uintBitsToFloat(bits)
#define onepass_highest_bit(value) uint(findMSB(value))  // of a number that is not 0
#define onepass_transform(matrix, vector) ((matrix) * (vector))

#endif  // ONEPASS_PRELUDE_TYPES_GLSL_
