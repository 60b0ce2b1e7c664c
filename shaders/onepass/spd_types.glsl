// spd_types.glsl: the names of types that shaders around FidelityFX SPD use: AF4 of ffx_a.h, FfxFloat32x4 of the
// FidelityFX SDK. It takes the place of `ffx_a.h` or `ffx_core.h` in a shader that needs nothing else of these headers.
// A shader that needs more keeps them: names that are defined already stay as they are.
//
// Like those headers it reads A_GPU with A_GLSL or A_HLSL, and A_HALF; or FFX_GPU with FFX_GLSL or FFX_HLSL, FFX_HALF
// and FFX_HLSL_SM.
#ifndef ONEPASS_SPD_TYPES_GLSL_
#define ONEPASS_SPD_TYPES_GLSL_

#ifdef ONEPASS_HLSL
#ifdef FFX_HLSL_SM
#if FFX_HLSL_SM >= 62
#define ONEPASS_SPD_NATIVE_HALF_
#endif
#endif
#else
#ifdef A_HALF
#define ONEPASS_SPD_HALF_TYPES_
#endif
#ifdef FFX_HALF
#if FFX_HALF
#define ONEPASS_SPD_HALF_TYPES_
#endif
#endif
#ifdef ONEPASS_SPD_HALF_TYPES_
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#endif
#endif

#if (defined(A_GLSL) || defined(A_HLSL)) && !defined(AF1)
#define AF1 float
#define AU1 uint
#define ASU1 int
#define AP1 bool
#ifdef ONEPASS_HLSL
#define AF2 float2
#define AF3 float3
#define AF4 float4
#define AU2 uint2
#define AU3 uint3
#define AU4 uint4
#define ASU2 int2
#define ASU3 int3
#define ASU4 int4
#define AP2 bool2
#define AP3 bool3
#define AP4 bool4
#ifdef A_HALF
#define AH1 min16float
#define AH2 min16float2
#define AH3 min16float3
#define AH4 min16float4
#endif
#else
#define AF2 vec2
#define AF3 vec3
#define AF4 vec4
#define AU2 uvec2
#define AU3 uvec3
#define AU4 uvec4
#define ASU2 ivec2
#define ASU3 ivec3
#define ASU4 ivec4
#define AP2 bvec2
#define AP3 bvec3
#define AP4 bvec4
#ifdef A_HALF
#define AH1 float16_t
#define AH2 f16vec2
#define AH3 f16vec3
#define AH4 f16vec4
#endif
#endif
#endif

#if (defined(FFX_GLSL) || defined(FFX_HLSL)) && !defined(FFX_CORE_H)
#define FfxBoolean bool
#define FfxFloat32 float
#define FfxUInt32 uint
#define FfxInt32 int
#define FFX_PARAMETER_IN in
#define FFX_PARAMETER_OUT out
#define FFX_PARAMETER_INOUT inout
#ifdef ONEPASS_HLSL
#define FFX_GROUPSHARED groupshared
#define FfxFloat32x2 float2
#define FfxFloat32x3 float3
#define FfxFloat32x4 float4
#define FfxUInt32x2 uint2
#define FfxUInt32x3 uint3
#define FfxUInt32x4 uint4
#define FfxInt32x2 int2
#define FfxInt32x3 int3
#define FfxInt32x4 int4
#ifdef ONEPASS_SPD_NATIVE_HALF_
#define FfxFloat16 float16_t
#define FfxFloat16x2 float16_t2
#define FfxFloat16x3 float16_t3
#define FfxFloat16x4 float16_t4
#else
#define FfxFloat16 min16float
#define FfxFloat16x2 min16float2
#define FfxFloat16x3 min16float3
#define FfxFloat16x4 min16float4
#endif
#else
#define FFX_GROUPSHARED shared
#define FfxFloat32x2 vec2
#define FfxFloat32x3 vec3
#define FfxFloat32x4 vec4
#define FfxUInt32x2 uvec2
#define FfxUInt32x3 uvec3
#define FfxUInt32x4 uvec4
#define FfxInt32x2 ivec2
#define FfxInt32x3 ivec3
#define FfxInt32x4 ivec4
#define FfxFloat16 float16_t
#define FfxFloat16x2 f16vec2
#define FfxFloat16x3 f16vec3
#define FfxFloat16x4 f16vec4
#endif
#endif

#endif  // ONEPASS_SPD_TYPES_GLSL_
