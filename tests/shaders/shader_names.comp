// shader_names.comp: every header of shaders/onepass that a shader includes, in three groups, together with user code
// that owns HLSL's names of vector types: as a struct, functions and a variable before the headers, as macros after
// them. Only compiled.
#version 460
#extension GL_GOOGLE_include_directive : require

struct float3 {
  float value;
};
uint int2(uint x) { return x + 1u; }
float uint2(float x) { return 2.0 * x; }
const float uint4 = 3.0;
#define USED (uint2(uint4) + float3(1.0).value + float(int2(1u)))

layout(local_size_x = 256) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, std430) buffer Out { float written[]; };

#if GROUP == 3
#define A_GPU
#define A_GLSL
#include "onepass/spd_types.glsl"
shared uint spdCounter;
AF4 SpdLoadSourceImage(ASU2 p, AU1 slice) { return texelFetch(source, p, 0); }
AF4 SpdLoad(ASU2 p, AU1 slice) { return AF4(written[p.x]); }
void SpdStore(ASU2 p, AF4 value, AU1 mip, AU1 slice) { written[mip] = value.x; }
void SpdIncreaseAtomicCounter(AU1 slice) { spdCounter = 1u; }
AU1 SpdGetAtomicCounter() { return spdCounter; }
void SpdResetAtomicCounter(AU1 slice) { written[slice] = 0.0; }
#define ONEPASS_SPD_SIZE uvec2(100u, 100u)
#define ONEPASS_REDUCTION ONEPASS_MAX
#include "onepass/spd.glsl"
#elif GROUP == 1
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
layout(push_constant, std430) uniform Constants { PyramidParams pc; };
layout(binding = 2, std430) ONEPASS_COHERENT buffer Counters { uint counters[]; };
layout(binding = 3, std430) ONEPASS_COHERENT buffer Kept { float kept[]; };
#define ONEPASS_ELEMENT float
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#define ONEPASS_REDUCTION ONEPASS_MAX
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]
float onepass_load_base(uvec2 texel, uint slice) { return texelFetch(source, ivec2(texel), 0).r; }
void onepass_store_level(uint level, uvec2 texel, uint slice, float value) { written[level] = value; }
#include "onepass/pyramid.glsl"

#define ONEPASS_LOAD_FARTHEST(level, cell) texelFetch(source, ivec2(cell), int(level)).r
#define ONEPASS_LOAD_NEAREST(level, cell) texelFetch(source, ivec2(cell), int(level)).r
#define ONEPASS_SAMPLE_FARTHEST(level, at) textureLod(source, at, float(level)).r
#define ONEPASS_SAMPLE_NEAREST(level, at) textureLod(source, at, float(level)).r
#define ONEPASS_LOAD_TILE(tile) texelFetch(source, ivec2(tile), 0).r
#include "onepass/depth_query.glsl"

#include "onepass/reflection_surface.glsl"
layout(binding = 9, std140) uniform Matrices { mat4 matrix; };
OnepassSurface onepass_load_surface_of_test(uvec2 texel) {
  return onepass_make_surface(matrix, vec2(texel), 0.5, false, vec3(0.0, 0.0, 1.0), 0.5);
}
bool onepass_load_rays_of_test(uvec2 texel, out vec4 value, out float distance) {
  value = vec4(1.0);
  distance = 1.0;
  return true;
}
void onepass_load_last_of_test(uvec2 texel, out OnepassLight light, out float depth, out vec3 normal) {
  light = onepass_no_light();
  depth = 0.5;
  normal = vec3(0.0, 0.0, 1.0);
}
#define ONEPASS_LOAD_NORMAL(texel) texelFetch(source, ivec2(texel), 0).xyz
#define ONEPASS_CLIP_FROM_WORLD matrix
#define ONEPASS_WORLD_FROM_CLIP matrix
#include "onepass/reflection_march.glsl"
#define ONEPASS_LOAD_SURFACE(texel) onepass_load_surface_of_test(texel)
#define ONEPASS_LOAD_RAYS(texel, value, distance) onepass_load_rays_of_test(texel, value, distance)
#define ONEPASS_LOAD_LAST(texel, light, depth, normal) onepass_load_last_of_test(texel, light, depth, normal)
#define ONEPASS_LOAD_LIGHT(texel) onepass_no_light()
#define ONEPASS_LAST_PLACE(texel, surface) surface.position.xy
#define ONEPASS_LAST_CLIP_FROM_WORLD matrix
#define ONEPASS_LAST_WORLD_FROM_CLIP matrix
#include "onepass/reflection_denoise.glsl"

#include "onepass/fourier_params.h"
#include "onepass/fourier_filter_params.h"
layout(binding = 4, std430) readonly buffer Filter { FourierFilterParams filter_params; };
#define ONEPASS_FILTER_PARAMS filter_params
#include "onepass/fourier_filter.glsl"

#include "onepass/bc3.glsl"
#include "onepass/bc6h.glsl"
#include "onepass/bc7.glsl"

#include "onepass/luminance.glsl"
#include "onepass/tone_map_params.h"
#include "onepass/frame_tone_map_params.h"
layout(binding = 5, std430) readonly buffer Metered { LuminanceResult metered[]; };
layout(binding = 6, std140) uniform Program { ToneMapProgram program; };
layout(binding = 7, std430) readonly buffer Cubics { vec4 cubics[]; };
layout(binding = 8, std430) readonly buffer Nodes { vec2 nodes[]; };
#define ONEPASS_TONE_MIX 0
#define ONEPASS_TONE_MATRIX_MASK 0u
#define ONEPASS_TONE_CURVE_MASK 1u
#define ONEPASS_TONE_ROOT_MASK 0u
#define ONEPASS_TONE_FOOT_MASK 0u
#define ONEPASS_TONE_SHIFTS 21u
#define ONEPASS_TONE_CURVE_COUNT 1u
#define ONEPASS_TONE_FINE false
#define ONEPASS_TONE_KEEPS_HUE false
#define ONEPASS_TONE_GUARD_RAIL false
#define ONEPASS_TONE_PROGRAM program
#define ONEPASS_TONE_CUBICS(i) cubics[i]
#include "onepass/tone_map.glsl"
#define ONEPASS_LOCAL_NODE(i) nodes[i]
#include "onepass/local_exposure.glsl"
#else
#include "onepass/prelude.glsl"
#include "onepass/luminance_params.h"
layout(push_constant, std430) uniform Constants { LuminanceParams pc; };
layout(binding = 2, std430) ONEPASS_COHERENT buffer Scratch { uint onepass_words[]; };
layout(binding = 3, std430) buffer Results { LuminanceResult onepass_results[]; };
#define BINS 2048u
#define COPIES 1u
#define METERING ONEPASS_LUMINANCE_AVERAGE
#define STATISTIC 0u
vec3 onepass_load_colour(uvec2 texel, uint slice) { return texelFetch(source, ivec2(texel), 0).rgb; }
uint onepass_load_weight(uvec2 texel) { return 0u; }
#include "onepass/luminance_meter.glsl"

#include "onepass/local_exposure_params.h"
layout(binding = 4, std430) ONEPASS_COHERENT buffer Counters { uint onepass_local_counters[]; };
layout(binding = 5, std430) ONEPASS_COHERENT buffer Raw { vec2 onepass_local_raw[]; };
layout(binding = 6, std430) writeonly buffer Nodes { vec2 onepass_local_nodes[]; };
layout(binding = 7, std430) readonly buffer Grid { LocalGridParams grid; };
#define ONEPASS_LOCAL_PARAMS grid
#define ONEPASS_LOCAL_NODE(i) onepass_local_raw[i]
vec4 onepass_load_texel_of_grid(uvec2 texel, uint slice) { return texelFetch(source, ivec2(texel), 0); }
#define onepass_load_texel onepass_load_texel_of_grid
#include "onepass/local_exposure_grid.glsl"
#undef onepass_load_texel

#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"
layout(binding = 8, std430) readonly buffer Tiles { TileReductionParams tiles; };
#define ONEPASS_TILE_STRATEGY 2
#define ONEPASS_REDUCTION ONEPASS_MEAN
#define ONEPASS_TILE_SIDE_LOG2 2u
#define ONEPASS_TILE_READS_LOG2 2u
#define ONEPASS_TILE_GROUP_LOG2 8u
#define ONEPASS_TILE_COUNT tiles.tiles
#define ONEPASS_TILE_SOURCE_SIZE tiles.size
#define ONEPASS_ELEMENT float
#define ONEPASS_TILE_COMPONENTS 1
float onepass_load_texel(uvec2 texel, uint slice) { return texelFetch(source, ivec2(texel), 0).r; }
void onepass_store_tile(uvec2 tile, uint slice, float value) { written[tile.x] = value; }
#include "onepass/tile_reduction.glsl"

#define ONEPASS_FOURIER_SIGNALS 2
#define ONEPASS_FOURIER_LENGTH 256u
#define ONEPASS_FOURIER_LANES 16u
#define ONEPASS_FOURIER_LINES 4u
#define ONEPASS_FOURIER_PASSES 2u
#define ONEPASS_FOURIER_RADIX(p) 16u
#define ONEPASS_FOURIER_PAD false
#define ONEPASS_FOURIER_SHARED 1024u
vec2 onepass_fourier_twiddle(uint k) { return vec2(1.0, 0.0); }
#include "onepass/fourier.glsl"
#endif

#define float2 7.0
#define float4 11.0
#define uint3(x) (x)
#define groupshared +1.0
#define float4x4 uint4

void main() {
  written[0] = USED + float2 + float4 + uint3(1.0) groupshared + float4x4;
#if GROUP == 1
  onepass_pyramid(gl_WorkGroupID);
  OnepassDepthPyramid depths = onepass_full_depth_pyramid(uvec2(8u, 8u), ONEPASS_COVERING, false);
  written[1] = onepass_rect_occluded(depths, vec4(0.1), 0.5) ? onepass_filter_gain(0.1, 0.2) : 0.0;
  written[2] = onepass_tone_map(vec4(1.0), onepass_exposure(metered[0])).r;
#elif GROUP == 3
  SpdDownsample(gl_WorkGroupID.xy, gl_LocalInvocationIndex, 6u, 4u, gl_WorkGroupID.z);
#else
  onepass_meter(gl_WorkGroupID);
  onepass_local_grid(gl_WorkGroupID);
  onepass_tile_reduction(gl_WorkGroupID);
  v[0] = onepass_times(v[0], vec2(0.5)) * ONEPASS_CONJUGATE;
  v[1] = onepass_times_minus_i(v[0]);
  onepass_fourier(gl_LocalInvocationIndex, 0u, false);
#endif
}
