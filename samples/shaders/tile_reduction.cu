// tile_reduction.cu: the nearest depth of each tile of 8x8 texels, in CUDA C++. docs/shaders/cuda.md
#define ONEPASS_CUDA 1
#define ONEPASS_SUBGROUP 1
#include "onepass/prelude.glsl"

#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"

#ifndef ONEPASS_TILE_STRATEGY
#define ONEPASS_TILE_STRATEGY 3  // ONEPASS_TILE_SUBGROUP
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

ONEPASS_DEVICE_BEGIN

struct TileReduction {
  TileReductionParams pc;
  const float* source;  // rows without gaps
  float* target;

  float onepass_load_texel(onepass_uint2 texel, uint slice) { return source[texel.y * pc.size.x + texel.x]; }
  void onepass_store_tile(onepass_uint2 tile, uint slice, float value) { target[tile.y * pc.tiles.x + tile.x] = value; }
#include "onepass/tile_reduction.glsl"
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL tile_reduction(TileReduction kernel) { kernel.onepass_tile_reduction(onepass_group_index()); }
