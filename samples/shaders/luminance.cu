// luminance.cu: meters an image's luminance and computes its exposure in one launch, in CUDA C++. docs/shaders/cuda.md
#define ONEPASS_CUDA 1
#define ONEPASS_SUBGROUP 1
#include "onepass/prelude.glsl"

#include "onepass/luminance_params.h"

#define BINS 2048u
#define COPIES 2u  // 19 KB of shared memory
#define METERING ONEPASS_LUMINANCE_AVERAGE
#define STATISTIC 0u  // the exposure comes from the log-average

ONEPASS_DEVICE_BEGIN

struct Luminance {
  LuminanceParams pc;            // OnepassLuminanceSetup::constants
  const onepass_float4* source;  // rows of `width` texels
  uint width;
  ONEPASS_COHERENT uint* onepass_words;  // OnepassLuminanceSetup::words
  LuminanceResult* onepass_results;

  onepass_float3 onepass_load_colour(onepass_uint2 texel, uint slice) { return source[texel.y * width + texel.x].rgb; }
  uint onepass_load_weight(onepass_uint2 texel) { return 0u; }  // for ONEPASS_LUMINANCE_MASK
#include "onepass/luminance_meter.glsl"
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL luminance(Luminance kernel) { kernel.onepass_meter(onepass_group_index()); }
