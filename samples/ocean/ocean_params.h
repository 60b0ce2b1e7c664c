// ocean_params.h: constants and push constants of the shaders, for C++ and GLSL alike.
#ifndef ONEPASS_SAMPLES_OCEAN_PARAMS_H_
#define ONEPASS_SAMPLES_OCEAN_PARAMS_H_

// Square patches of different lengths, with waves of separate bands; their sum is the ocean.
#define CASCADES 3
// The animation repeats after this many frames, so that phases are exact fractions of a circle.
#define LOOP_FRAMES 6000
#define FRAMES_PER_SECOND 30
// A surface compressed to less than this share of its area turns into foam.
#define WHITECAP_AREA 0.84
#define WHITECAP_GAIN 4.5

#ifdef __cplusplus
#include <array>
#include <cstddef>
#include <cstdint>
namespace samples::ocean {
using uint = uint32_t;
using vec4 = std::array<float, 4>;
#endif

/// One wave vector at time 0: the complex amplitude of the wave that travels along it.
struct Wave {
  float re;  // metres
  float im;
  uint cycles;  // periods per LOOP_FRAMES frames
};

/// Of evolve.comp and whitecaps.comp.
struct WaterParams {
  vec4 lengths;      // of the patches, metres
  uint texels;       // per side of a patch
  uint frame;        // 0 to LOOP_FRAMES - 1
  float choppiness;  // factor on horizontal displacements; 1: that of deep water
  float foam_left;   // the share of foam that is left after a frame
};

/// Of water.vert and water.frag. Axes have length 1; y is up.
struct DrawParams {
  vec4 eye;      // w: distance of the near plane, metres
  vec4 forward;  // w: half the angle of the grid of vertices, radians
  vec4 right;    // w: tangent of half the horizontal field of view
  vec4 down;     // w: tangent of half the vertical field of view
  vec4 lengths;  // of the patches, metres
  vec4 sun;      // direction to the sun; w: the radius of the grid's first ring, metres
  uint columns;  // of the grid
  uint rings;
  uint texels;        // per side of a patch
  float wave_height;  // significant, metres
};

#ifdef __cplusplus
static_assert(sizeof(Wave) == 12 && sizeof(WaterParams) == 32 && sizeof(DrawParams) == 112);
static_assert(offsetof(DrawParams, columns) == 96);
}  // namespace samples::ocean
#endif

#endif  // ONEPASS_SAMPLES_OCEAN_PARAMS_H_
