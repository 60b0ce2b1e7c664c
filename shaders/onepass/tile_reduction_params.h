// tile_reduction_params.h: the constants of the tile reduction kernels, for C++ and GLSL alike.
#ifndef ONEPASS_TILE_REDUCTION_PARAMS_H_
#define ONEPASS_TILE_REDUCTION_PARAMS_H_

#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names.glsl"
#endif

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
#include <cstddef>
#include <cstdint>
namespace onepass::tile_reduction {
using uint = uint32_t;
struct alignas(8) uint2 {
  uint x, y;
};
struct alignas(8) float2 {
  float x, y;
};
#endif

#define ONEPASS_TILE_MOST_READS 16   // blocks of 2x2 texels per invocation
#define ONEPASS_TILE_MOST_GROUP 512  // invocations per workgroup

struct TileReductionParams {
  uint2 size;         // of the source, in texels
  uint2 tiles;        // size of the target, in texels
  float2 last_scale;  // mean: factor / texels of the last tile, per axis
};

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
static_assert(sizeof(TileReductionParams) == 24 && offsetof(TileReductionParams, last_scale) == 16,
              "must match the std430 layout in the shader");
}  // namespace onepass::tile_reduction
#endif
#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names_end.glsl"
#endif
#endif  // ONEPASS_TILE_REDUCTION_PARAMS_H_
