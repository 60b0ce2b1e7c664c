// mean.cu: a mip chain of means of four components, covering, in CUDA C++: elements that are vectors.
#define ONEPASS_CUDA 1
#define ONEPASS_SUBGROUP 1
#include "onepass/prelude.glsl"

#include "onepass/pyramid_params.h"

#define ONEPASS_ELEMENT onepass_float4
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#define ONEPASS_REDUCTION ONEPASS_MEAN
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]
#define ONEPASS_COLUMN_PASSES 2
#define ONEPASS_WINDOW_ROWS 4

ONEPASS_DEVICE_BEGIN

struct Mean {
  PyramidParams pc;
  const onepass_float4* source;  // rows without gaps
  onepass_float4* levels[12];
  ONEPASS_COHERENT uint* counters;
  OnepassExchanged<onepass_float4> kept;

  onepass_float4 onepass_load_base(onepass_uint2 texel, uint slice) { return source[texel.y * pc.size.x + texel.x]; }
  void onepass_store_level(uint level, onepass_uint2 texel, uint slice, onepass_float4 value) {
    levels[level - 1u][texel.y * onepass_level_size(pc.size.x, level) + texel.x] = value;
  }
#include "onepass/pyramid.glsl"
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL mean(Mean kernel) { kernel.onepass_pyramid(onepass_group_index()); }
