// depth_query_test.comp: every function of depth_query.glsl, one query per invocation. MODE selects the functions; the
// words of queries and answers are as in vulkan_depth_query_test.cpp.
#version 450
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint MODE = 0;

#define QUERY_WORDS 24
#define ANSWER_WORDS 16
layout(binding = 0) readonly buffer Farthest { float b_farthest[]; };
layout(binding = 1) readonly buffer Nearest { float b_nearest[]; };
layout(binding = 2) readonly buffer Offsets { uint b_offsets[]; };  // of levels; [16]: of the tiles in b_nearest
layout(binding = 3) readonly buffer Queries { uint b_queries[]; };
layout(binding = 4) writeonly buffer Answers { uint b_answers[]; };
layout(binding = 5) uniform sampler2D farthest_sampler;
layout(binding = 6) uniform sampler2D nearest_sampler;
layout(push_constant) uniform Push {
  uvec2 size;
  uint first_level;
  uint last_level;
  uint footprint;
  uint reversed_z;
  uint count;
  uint tile_factor;
} pc;

uint cell_index(uint level, uvec2 cell) { return b_offsets[level] + cell.y * max(pc.size.x >> level, 1u) + cell.x; }
#define ONEPASS_LOAD_FARTHEST(level, cell) b_farthest[cell_index(level, cell)]
#define ONEPASS_LOAD_NEAREST(level, cell) b_nearest[cell_index(level, cell)]
#define ONEPASS_SAMPLE_FARTHEST(level, at) textureLod(farthest_sampler, at, float(level)).r
#define ONEPASS_SAMPLE_NEAREST(level, at) textureLod(nearest_sampler, at, float(level)).r
float load_tile(uvec2 tile) {
  uint width = (pc.size.x + pc.tile_factor - 1u) / pc.tile_factor;
  return b_nearest[b_offsets[16] + tile.y * width + tile.x];
}
#define ONEPASS_LOAD_TILE load_tile
#include "onepass/depth_query.glsl"

#define matrix_of_columns(a, b, c, d) float4x4(a, b, c, d)
#include "depth_query_answers.glsl"

void main() { answer_query(gl_GlobalInvocationID.x); }
