// local_exposure_params.h: the constants and push constants of local exposure, shared by C++ and GLSL.
#ifndef ONEPASS_LOCAL_EXPOSURE_PARAMS_H_
#define ONEPASS_LOCAL_EXPOSURE_PARAMS_H_

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
#include <cstddef>
#include <cstdint>
namespace onepass::tone_map {
using uint = uint32_t;
#endif

#define ONEPASS_LOCAL_BINS 42  // nodes along log2 luminance, one stop apart
#define ONEPASS_LOCAL_LOW -21  // node n is at log2 luminance n + ONEPASS_LOCAL_LOW + 1/2
// Luminances are clamped to 2^-20..2^20, half a stop inside of the outer nodes.
#define ONEPASS_LOCAL_LEAST 9.5367431640625e-7
#define ONEPASS_LOCAL_MOST 1048575.9375
#define ONEPASS_LOCAL_ONE 1048576  // the weight of a texel, divided between two nodes
#define ONEPASS_LOCAL_STOPS 10.0   // from grey; regions farther away are moved as far as a region at this distance
#define ONEPASS_LOCAL_TILE 16      // the side of a region is a multiple of this, in texels
#define ONEPASS_LOCAL_MOST_SIDE 256
#define ONEPASS_LOCAL_GROUP 256  // invocations of a workgroup, which owns a region
#define ONEPASS_LOCAL_COPIES 32  // of a workgroup's nodes; each takes 2048 texels of a 256x256 region, 2^31 at most

// The constants of the dispatch that makes the grid.
struct LocalGridParams {
  uint width;
  uint height;
  uint side;     // of a region, in texels
  uint columns;  // of regions
  uint rows;
};

// The constants of a texel's factor.
struct LocalParams {
  float inverse_side;
  uint columns;
  uint rows;
  float highlights;  // contrasts minus 1: 0 changes nothing
  float shadows;
  float detail;
  float grey;  // log2 of grey
};

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
static_assert(sizeof(LocalGridParams) == 20 && sizeof(LocalParams) == 28, "must match the std430 layout in the shader");
}  // namespace onepass::tone_map
#endif
#endif  // ONEPASS_LOCAL_EXPOSURE_PARAMS_H_
