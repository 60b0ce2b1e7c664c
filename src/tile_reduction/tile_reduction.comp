// tile_reduction.comp: one coarser image of all slices in one dispatch; see shaders/onepass/tile_reduction.glsl for the
// algorithm and src/tile_reduction/kernels.cmake for the variants.
//
// COMPONENTS (1, 2 or 4), STRATEGY, MULTISAMPLE and STORAGE_SOURCE are macros, because types and shared memory depend
// on them.
#version 460
#extension GL_GOOGLE_include_directive : require
#if STORAGE_SOURCE
#extension GL_EXT_shader_image_load_formatted : require
#endif
#if ONEPASS_SUBGROUP
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"

layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint GROUP_LOG2 = 8u;  // log2 of constant 0
layout(constant_id = 2) const uint SIDE_LOG2 = 3u;   // log2 of factor / 2
layout(constant_id = 3) const uint READS_LOG2 = 2u;
layout(constant_id = 4) const uint REDUCTION = 1u;
layout(constant_id = 5) const uint SOURCE_CHANNELS = 1u;
layout(constant_id = 6) const uint TARGET_KIND = 0u;
layout(constant_id = 7) const bool TARGET_SRGB = false;
layout(constant_id = 8) const bool PARTIAL = true;  // are some tiles partial?
#if MULTISAMPLE
layout(constant_id = 9) const uint SAMPLES = 4u;
#endif

#include "vulkan/target_texel.glsl"

layout(push_constant, std430) uniform Constants { TileReductionParams pc; };
#include "vulkan/source_image.glsl"
layout(binding = 1) uniform writeonly image2DArray target;

#define ONEPASS_TILE_COMPONENTS COMPONENTS
#if COMPONENTS == 1
#define ONEPASS_ELEMENT float
#elif COMPONENTS == 2
#define ONEPASS_ELEMENT float2
#else
#define ONEPASS_ELEMENT float4
#endif
#define ONEPASS_TILE_STRATEGY STRATEGY
#define ONEPASS_TILE_GROUP_LOG2 GROUP_LOG2
#define ONEPASS_TILE_SIDE_LOG2 SIDE_LOG2
#define ONEPASS_TILE_READS_LOG2 READS_LOG2
#define ONEPASS_TILE_COUNT pc.tiles

#define store_target(texel, slice, value) imageStore(target, int3(texel, slice), value)
#include "tile_reduction/tile_reduction_texel.glsl"

#include "onepass/tile_reduction.glsl"
void main() { onepass_tile_reduction(gl_WorkGroupID); }
