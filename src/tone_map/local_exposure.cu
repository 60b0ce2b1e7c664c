// local_exposure.cu: makes the grid of local exposure of all slices in one launch, in CUDA C++: local_exposure.comp
// around images in linear memory. Of the constants it has those of the source (image_params.h).
#define ONEPASS_CUDA 1
#define ONEPASS_KEEP_NAMES 1
#define ONEPASS_LINEAR_MEMORY 1
#include "onepass/prelude.glsl"

#include "onepass/local_exposure_params.h"

ONEPASS_DEVICE_BEGIN

#include "cuda/specialized.cuh"
#include "cuda/texels.cuh"

#define COMPONENTS 4
#define CHANNELS 2
#define LEAST_SOURCE_BYTES 1u
#define LEAST_TARGET_BYTES 1u
#define ONEPASS_LOCAL_PARAMS pc

/// The parameter of the kernel: LocalGridParameters in cuda_impl.hpp.
struct KERNEL_STRUCT {
  LocalGridParams pc;
  uint unused;
  DeviceRows source;
  ONEPASS_COHERENT uint* onepass_local_counters;
  OnepassExchanged<onepass_float2> onepass_local_raw;
  onepass_float2* onepass_local_nodes;

#include "vulkan/target_texel.glsl"

#include "cuda/source_and_target.cuh"

  float4 onepass_load_texel(uint2 texel, uint slice) {
    float4 value = load_source(texel, slice);
    return SOURCE_CHANNELS < 3u ? float4(value.r, value.r, value.r, value.a) : value;
  }

#include "onepass/local_exposure_grid.glsl"
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL KERNEL(KERNEL_STRUCT kernel) { kernel.onepass_local_grid(onepass_group_index()); }
