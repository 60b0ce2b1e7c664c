// prelude_names_end.glsl: undefines the names of prelude_names.glsl.
#if defined(ONEPASS_NAMES_) && !defined(ONEPASS_KEEP_NAMES)
#undef ONEPASS_NAMES_

#undef int2
#undef int3
#undef uint2
#undef uint3
#undef uint4
#undef float2
#undef float3
#undef float4
#undef float4x4
#undef groupshared
#ifdef ONEPASS_CUDA
#undef min
#undef max
#undef clamp
#undef abs
#undef floor
#undef ceil
#undef sqrt
#undef precise
#endif

#endif
