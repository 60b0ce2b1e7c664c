// tile_reduction.comp: the nearest depth of each tile of 8x8 texels. docs/shaders/tile_reduction.md
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"

layout(local_size_x = 256) in;
layout(push_constant, std430) uniform Constants { TileReductionParams pc; };
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) uniform writeonly image2D target;

#ifndef ONEPASS_TILE_STRATEGY
#define ONEPASS_TILE_STRATEGY 2  // ONEPASS_TILE_TREE
#endif
#ifndef ONEPASS_REDUCTION
#define ONEPASS_REDUCTION ONEPASS_MIN
#endif
#ifndef ONEPASS_TILE_SIDE_LOG2
#define ONEPASS_TILE_SIDE_LOG2 2u  // factor 8; OnepassTileSetup contains these three numbers
#define ONEPASS_TILE_READS_LOG2 2u
#endif
#define ONEPASS_TILE_GROUP_LOG2 8u
#define ONEPASS_TILE_COUNT pc.tiles
#define ONEPASS_TILE_SOURCE_SIZE pc.size
#define ONEPASS_ELEMENT float
#define ONEPASS_TILE_COMPONENTS 1

float onepass_load_texel(uvec2 texel, uint slice) { return texelFetch(source, ivec2(texel), 0).r; }
void onepass_store_tile(uvec2 tile, uint slice, float value) {
  imageStore(target, ivec2(tile), vec4(value, 0.0, 0.0, 1.0));
}

#include "onepass/tile_reduction.glsl"
void main() { onepass_tile_reduction(gl_WorkGroupID); }
