// pyramid.cu: a depth pyramid of farthest depths, all levels in one launch, in CUDA C++. docs/shaders/cuda.md
#define ONEPASS_CUDA 1
#define ONEPASS_SUBGROUP 1
#include "onepass/prelude.glsl"

#include "onepass/pyramid_params.h"

ONEPASS_DEVICE_BEGIN

/// Rows of texels in device memory, `stride` texels apart.
struct Plane {
  float* texels;
  uint stride;
  float& at(onepass_uint2 texel) const { return texels[texel.y * stride + texel.x]; }
};

#define ONEPASS_ELEMENT float
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#define ONEPASS_REDUCTION ONEPASS_MAX
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]

struct DepthPyramid {
  PyramidParams pc;  // OnepassPyramidSetup::constants
  Plane source;
  Plane levels[12];  // levels[n - 1] is level n
  ONEPASS_COHERENT uint* counters;
  ONEPASS_COHERENT float* kept;

  float onepass_load_base(onepass_uint2 texel, uint slice) { return source.at(texel); }
  void onepass_store_level(uint level, onepass_uint2 texel, uint slice, float value) {
    levels[level - 1u].at(texel) = value;
  }
#include "onepass/pyramid.glsl"
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL pyramid(DepthPyramid pyramid) { pyramid.onepass_pyramid(onepass_group_index()); }
