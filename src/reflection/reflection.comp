// reflection.comp: the kernels of reflections, one for each stage (kernels.cmake). tests/hlsl/reflection.hlsl compiles
// the text of the stages as HLSL.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reflection/reflection_bindings.glsl"

#if defined(MARCH)
layout(local_size_x_id = 0) in;
#elif defined(PREPARE)
layout(local_size_x = 1) in;
#else
layout(local_size_x = 8, local_size_y = 8) in;
#endif

#include "reflection/reflection_stage.glsl"
