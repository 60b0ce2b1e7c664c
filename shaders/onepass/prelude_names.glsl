// prelude_names.glsl: HLSL's names of vector types in GLSL, from here to prelude_names_end.glsl. The onepass headers
// include both around their text, so that your code may own these names: as functions, types or variables anywhere, as
// macros after the last onepass header. With ONEPASS_KEEP_NAMES, defined before the first onepass header, they stay
// defined: for your own text in both languages. No include guard: a header includes it again after another header.
#if !defined(ONEPASS_HLSL) && !defined(ONEPASS_NAMES_)
#define ONEPASS_NAMES_

#if defined(int2) || defined(int3) || defined(uint2) || defined(uint3) || defined(uint4) || defined(float2) || \
    defined(float3) || defined(float4) || defined(float4x4) || defined(groupshared)
#error onepass: a macro of yours has the name of an HLSL type (float2, uint2, ...): define it after the onepass headers
#endif

#ifdef ONEPASS_CUDA
#define int2 onepass_int2
#define int3 onepass_int3
#define uint2 onepass_uint2
#define uint3 onepass_uint3
#define uint4 onepass_uint4
#define float2 onepass_float2
#define float3 onepass_float3
#define float4 onepass_float4
#define float4x4 onepass_float4x4
#define groupshared ONEPASS_SHARED
#define min onepass_min
#define max onepass_max
#define clamp onepass_clamp
#define abs onepass_abs
#define floor onepass_floor
#define ceil onepass_ceil
#define sqrt onepass_sqrt
#define precise  // -ffp-contract=on fuses nothing across statements
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
#define groupshared shared
#endif

#endif
