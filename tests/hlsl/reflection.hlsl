// reflection.hlsl: src/reflection/reflection.comp in HLSL, for groups of 64 rays, the library's default.
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "reflection/reflection_params.h"

#define MARCH_GROUP 64u
[[vk::constant_id(1)]] const uint RAYS = 1u;
[[vk::constant_id(2)]] const uint FOOTPRINT = 1u;
[[vk::constant_id(3)]] const uint NEAREST_CHANNEL = 0u;
[[vk::constant_id(4)]] const bool REVERSED_DEPTH = false;
[[vk::constant_id(5)]] const uint NORMAL_ENCODING = 0u;
[[vk::constant_id(6)]] const uint ROUGHNESS_CHANNEL = 0u;
[[vk::constant_id(7)]] const bool HAS_MOTION = false;
[[vk::constant_id(8)]] const bool HAS_ENVIRONMENT = false;
[[vk::constant_id(9)]] const bool COLOR_OF_LAST_FRAME = false;
[[vk::constant_id(10)]] const bool STORES_DISTANCE = false;
[[vk::constant_id(11)]] const uint FILTER_PASSES = 0u;
[[vk::constant_id(12)]] const bool HAS_RANGE = false;
[[vk::constant_id(13)]] const uint STRIDE = 1u;
[[vk::push_constant]] cbuffer Constants { ReflectionParams pc; };
[[vk::binding(13)]] cbuffer Noise { uint4 noise_words[ONEPASS_REFLECTION_NOISE * ONEPASS_REFLECTION_NOISE / 4u]; };

[[vk::binding(0)]] Texture2DArray<float4> depth_image;
[[vk::binding(1)]] Texture2DArray<float4> pyramid_image;
[[vk::binding(2)]] Texture2DArray<float4> normal_image;
[[vk::binding(3)]] Texture2DArray<float4> roughness_image;
[[vk::binding(4)]] Texture2DArray<float4> color_image;
[[vk::binding(5)]] Texture2DArray<float4> motion_image;
[[vk::binding(6)]] Texture2DArray<float4> environment_image;
[[vk::binding(7)]] RWTexture2DArray<float4> target;
[[vk::binding(8)]] RWTexture2DArray<float4> distance_target;
// The same memory twice: buffers in HLSL have elements of one type. No kernel writes the matrices.
struct StateHead {
  uint header[ONEPASS_REFLECTION_HEADER_WORDS];
  ReflectionMatrices matrices[ONEPASS_REFLECTION_MOST_SLICES];
};
#define STATE_HEAD_WORDS (ONEPASS_REFLECTION_HEADER_WORDS + 96u * ONEPASS_REFLECTION_MOST_SLICES)
[[vk::binding(9)]] RWStructuredBuffer<uint> state_header;
[[vk::binding(9)]] StructuredBuffer<StateHead> state_heads;
#define state_matrices state_heads[0].matrices
#define STATE_TILES(i) state_header[STATE_HEAD_WORDS + (i)]
[[vk::binding(10)]] RWStructuredBuffer<uint> traced;
[[vk::binding(11)]] RWStructuredBuffer<uint4> settled;
[[vk::binding(12)]] RWStructuredBuffer<uint2> history;

// ---- GLSL's functions and variables that the text of the stages uses

#define texelFetch(image, at, level) image.Load(int4(at, level))
#define imageStore(image, at, value) image[at] = value
#define mix lerp
#define atan(y, x) atan2(y, x)
#define barrier() GroupMemoryBarrierWithGroupSync()

int3 textureSize(Texture2DArray<float4> image, int level) {
  uint width, height, layers;
  image.GetDimensions(width, height, layers);
  return int3(width, height, layers);
}

float2 unpackHalf2x16(uint bits) { return float2(f16tof32(bits), f16tof32(bits >> 16u)); }
uint packHalf2x16(float2 values) { return f32tof16(values.x) | f32tof16(values.y) << 16u; }
float2 unpackSnorm2x16(uint bits) {
  int2 values = int2(int(bits << 16u) >> 16, int(bits) >> 16);
  return clamp(float2(values) / 32767.0, -1.0, 1.0);
}
uint packSnorm2x16(float2 values) {
  int2 words = int2(round(clamp(values, -1.0, 1.0) * 32767.0));
  return (uint(words.x) & 0xFFFFu) | uint(words.y) << 16u;
}

// The entry point sets these.
static uint3 gl_WorkGroupID;
static uint3 gl_NumWorkGroups;
static uint3 gl_LocalInvocationID;
static uint3 gl_GlobalInvocationID;
static uint gl_LocalInvocationIndex;

#define main run
#include "reflection/reflection_stage.glsl"
#undef main

#if defined(MARCH)
[numthreads(MARCH_GROUP, 1, 1)]
#elif defined(PREPARE)
[numthreads(1, 1, 1)]
#else
[numthreads(8, 8, 1)]
#endif
void main(uint3 group : SV_GroupID, uint3 local : SV_GroupThreadID, uint3 id : SV_DispatchThreadID,
          uint lane : SV_GroupIndex) {
  gl_WorkGroupID = group;
  gl_LocalInvocationID = local;
  gl_GlobalInvocationID = id;
  gl_LocalInvocationIndex = lane;
  // HLSL has no number of workgroups: an indirect dispatch has it in its command, classify has one workgroup per tile.
#if defined(MARCH)
  gl_NumWorkGroups = uint3(state_header[ONEPASS_REFLECTION_MARCH_COMMAND], 0u, 0u);
#elif defined(TEMPORAL) || defined(FILTER)
  gl_NumWorkGroups = uint3(state_header[ONEPASS_REFLECTION_TILE_COMMAND], 0u, 0u);
#elif defined(CLASSIFY)
  gl_NumWorkGroups = uint3(tile_counts(), 0u);
#endif
  run();
}
