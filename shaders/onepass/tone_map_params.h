// tone_map_params.h: the constants, the program and the push constants of the tone map, shared by C++ and GLSL.
#ifndef ONEPASS_TONE_MAP_PARAMS_H_
#define ONEPASS_TONE_MAP_PARAMS_H_

#include "onepass/local_exposure_params.h"

#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names.glsl"
#endif

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
#include <cstddef>
#include <cstdint>
namespace onepass::tone_map {
using uint = uint32_t;
struct alignas(8) uint2 {
  uint x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
#endif

#define ONEPASS_TONE_STAGES 4
#define ONEPASS_TONE_CURVES 6    // at most: four of the stages, one of luminance or the guard rail, one of HLG's OOTF
#define ONEPASS_TONE_PIECES 128  // cubics of a curve
#define ONEPASS_TONE_MOST_PIXELS 8
#define ONEPASS_TONE_NO_EXPOSURE 0xFFFFFFFFu  // as exposure_index: no buffer of exposures
#define ONEPASS_TONE_TILE 16  // width of a workgroup in texels; its height is invocations / 16 * texels per invocation

// The step before the stages.
#define ONEPASS_TONE_NO_MIX 0
#define ONEPASS_TONE_LUMINANCE 1
#define ONEPASS_TONE_NEUTRAL 2

// Where an operator keeps hues: the shares of the hue before the curve and after it.
#define ONEPASS_TONE_HUE_BEFORE 0.6
#define ONEPASS_TONE_HUE_AFTER 0.4

// A program, in a uniform buffer. The cubics of its curves are in a storage buffer, with the lowest power in x.
struct ToneMapProgram {
  float4 curves[ONEPASS_TONE_CURVES];        // top, scale, unused, bottom
  float4 matrices[3 * ONEPASS_TONE_STAGES];  // rows; w of a stage's first row: values are clipped to 0..w
  float4 rail;                               // weights of luminance, their sum
  float4 ootf;                               // weights of luminance in the target's primaries
  float4 unit;                               // stored value of 1 for colours and for alpha, and their inverses
};

struct ToneMapParams {
  uint2 size;
  float exposure;       // multiplied by the exposure from the buffer
  uint exposure_index;  // of the first slice's exposure in the buffer, in floats
  uint exposure_step;   // floats from one slice's exposure to the next
  LocalParams local;
};

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
static_assert(sizeof(ToneMapProgram) == 16 * (ONEPASS_TONE_CURVES + 3 * ONEPASS_TONE_STAGES + 3),
              "must match the std140 layout in the shader");
static_assert(sizeof(ToneMapParams) == 48 && offsetof(ToneMapParams, local) == 20,
              "must match the std430 layout in the shader");
}  // namespace onepass::tone_map
#endif
#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names_end.glsl"
#endif
#endif  // ONEPASS_TONE_MAP_PARAMS_H_
