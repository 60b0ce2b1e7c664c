// pyramid_filter_params.h: push constants and table of src/pyramid/pyramid_filter.comp, shared by C++ and GLSL.
//
// The table has 32-bit words: the light of the 256 quantised values of an sRGB source, as bits of floats; the phases of
// axes, FILTER_PHASE_WORDS each; and their weights, as bits of floats.
#ifndef ONEPASS_PYRAMID_FILTER_PARAMS_H_
#define ONEPASS_PYRAMID_FILTER_PARAMS_H_

#ifdef __cplusplus
#include <cstdint>

namespace onepass::pyramid {
using uint = uint32_t;
#endif

// The dispatches of a level: sums along y, of the base or of the finer level, then sums along x.
#define FILTER_ROWS_OF_BASE 0u
#define FILTER_ROWS_OF_LEVEL 1u
#define FILTER_COLUMNS 2u

// The values of the enum Boundary.
#define FILTER_WRAP 1u
#define FILTER_CLAMP 2u
#define FILTER_MIRROR 3u

// A phase: the first tap of texel 0 (int), the number of taps, the first near tap, the end of the near taps, the index
// of the first weight.
#define FILTER_PHASE_WORDS 5u

// Invocations of a workgroup on each axis if none share the taps of a texel; of rows each makes a run of texels below
// each other, of columns one texel.
#define FILTER_TILE_WIDTH 32u
#define FILTER_TILE_HEIGHT 8u
#define FILTER_RUN 4u

struct FilterParams {
  uint width;  // of the texels that the dispatch makes
  uint height;
  uint finer;   // texels of the input along the axis of the sums
  uint phases;  // index in the table of the axis' first phase
  uint shift;   // input texels from one texel to the next, which all have the same phase; 0: a phase for each texel
  uint lanes;   // invocations that make one texel together; a power of two, at most 256
  uint slice;   // of the base and of the levels: the first one of this dispatch
  uint keeps;   // columns. 1: the texels are also stored unrounded, for the next level
};

#ifdef __cplusplus
static_assert(sizeof(FilterParams) == 32, "must match the std430 layout in the shader");
}  // namespace onepass::pyramid
#endif
#endif  // ONEPASS_PYRAMID_FILTER_PARAMS_H_
