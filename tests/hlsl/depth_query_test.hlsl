// depth_query_test.hlsl: depth_query_test.comp in HLSL.
#define ONEPASS_HLSL 1
#include "onepass/prelude_types.glsl"

[[vk::constant_id(0)]] const uint MODE = 0;

#define QUERY_WORDS 24
#define ANSWER_WORDS 16
[[vk::binding(0)]] StructuredBuffer<float> b_farthest;
[[vk::binding(1)]] StructuredBuffer<float> b_nearest;
[[vk::binding(2)]] StructuredBuffer<uint> b_offsets;
[[vk::binding(3)]] StructuredBuffer<uint> b_queries;
[[vk::binding(4)]] RWStructuredBuffer<uint> b_answers;
[[vk::binding(5)]] Texture2D<float4> farthest_image;
[[vk::binding(5)]] SamplerState farthest_sampler;
[[vk::binding(6)]] Texture2D<float4> nearest_image;
[[vk::binding(6)]] SamplerState nearest_sampler;
struct Push {
  uint2 size;
  uint first_level;
  uint last_level;
  uint footprint;
  uint reversed_z;
  uint count;
  uint tile_factor;
};
[[vk::push_constant]] cbuffer Constants { Push pc; };

uint cell_index(uint level, uint2 cell) { return b_offsets[level] + cell.y * max(pc.size.x >> level, 1u) + cell.x; }
#define ONEPASS_LOAD_FARTHEST(level, cell) b_farthest[cell_index(level, cell)]
#define ONEPASS_LOAD_NEAREST(level, cell) b_nearest[cell_index(level, cell)]
#define ONEPASS_SAMPLE_FARTHEST(level, at) farthest_image.SampleLevel(farthest_sampler, at, float(level)).r
#define ONEPASS_SAMPLE_NEAREST(level, at) nearest_image.SampleLevel(nearest_sampler, at, float(level)).r
float load_tile(uint2 tile) {
  uint width = (pc.size.x + pc.tile_factor - 1u) / pc.tile_factor;
  return b_nearest[b_offsets[16] + tile.y * width + tile.x];
}
#define ONEPASS_LOAD_TILE load_tile
#include "onepass/depth_query.hlsl"

// HLSL's constructor takes rows.
#define matrix_of_columns(a, b, c, d) transpose(float4x4(a, b, c, d))
#include "tests/depth_query/depth_query_answers.glsl"

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { answer_query(id.x); }
