// local_exposure_params.h: the constants of local exposure, for C++ and GLSL alike.
#ifndef ONEPASS_LOCAL_EXPOSURE_PARAMS_H_
#define ONEPASS_LOCAL_EXPOSURE_PARAMS_H_

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
namespace onepass::tone_map {
using uint = uint32_t;
#endif

#define ONEPASS_LOCAL_BINS 42      // nodes along log2 of luminance, a stop apart
#define ONEPASS_LOCAL_LOW -21      // node n is at log2 luminance n + ONEPASS_LOCAL_LOW + 1/2
#define ONEPASS_LOCAL_LEAST 9.5367431640625e-7  // luminances count as within 2^-20 and 2^20: half a stop from the outer nodes
#define ONEPASS_LOCAL_MOST 1048575.9375
#define ONEPASS_LOCAL_ONE 1048576  // the weight of a texel, shared out to two nodes
#define ONEPASS_LOCAL_STOPS 10.0   // from grey: what is farther moves as far as this does
#define ONEPASS_LOCAL_TILE 16      // regions are multiples of it wide
#define ONEPASS_LOCAL_MOST_SIDE 256
#define ONEPASS_LOCAL_GROUP 256    // invocations of a workgroup, which owns a region
#define ONEPASS_LOCAL_COPIES 32    // of a group's nodes: 2048 texels of a region of 256x256 have the same, 2^31 at most

// The constants of the dispatch that makes the grid.
struct LocalGridParams {
  uint width;
  uint height;
  uint side;     // of a region, in texels
  uint columns;  // of regions
  uint rows;
};

// What a texel's factor is made with.
struct LocalParams {
  float inverse_side;
  uint columns;
  uint rows;
  float highlights;  // contrasts less 1: 0 changes nothing
  float shadows;
  float detail;
  float grey;  // log2
};

#ifdef __cplusplus
static_assert(sizeof(LocalGridParams) == 20 && sizeof(LocalParams) == 28, "must match the std430 layout in the shader");
}  // namespace onepass::tone_map
#endif
#endif  // ONEPASS_LOCAL_EXPOSURE_PARAMS_H_
