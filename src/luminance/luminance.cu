// luminance.cu: luminance statistics and exposure of every slice in one launch, in CUDA C++: luminance.comp around
// images in linear memory. The constants are those of luminance_cuda_params.h.
#define ONEPASS_CUDA 1
#define ONEPASS_SUBGROUP 1
#define ONEPASS_KEEP_NAMES 1
#define ONEPASS_LINEAR_MEMORY 1
#include "onepass/prelude.glsl"

#include "luminance/luminance_cuda_params.h"
#include "onepass/luminance_params.h"

ONEPASS_DEVICE_BEGIN

#include "cuda/specialized.cuh"
#include "cuda/texels.cuh"

#define COMPONENTS 4
#define CHANNELS 2
#define LEAST_SOURCE_BYTES 1u
#define LEAST_TARGET_BYTES 1u
#define COPIES 2u  // of the histogram: 19 KB of shared memory

/// The parameter of the kernel: MeterParameters in cuda_impl.hpp.
struct KERNEL_STRUCT {
  LuminanceParams pc;
  DeviceRows source;
  DeviceRows mask;
  ONEPASS_COHERENT uint* onepass_words;
  LuminanceResult* onepass_results;

  static constexpr Specialized<CONSTANT_BINS> BINS{};
  static constexpr Specialized<CONSTANT_METERING> METERING{};
  static constexpr Specialized<CONSTANT_STATISTIC> STATISTIC{};
  static constexpr Specialized<CONSTANT_MASK_STORAGE> MASK_STORAGE{};
  static constexpr Specialized<CONSTANT_MASK_STEP> MASK_STEP{};
  static constexpr Specialized<CONSTANT_MASK_OFFSET> MASK_OFFSET{};
  static constexpr Specialized<CONSTANT_MASK_SCALE, float> MASK_SCALE{};
  static constexpr Specialized<CONSTANT_MASK_SRGB, bool> MASK_SRGB{};

#include "vulkan/target_texel.glsl"

#include "cuda/source_and_target.cuh"

  float3 onepass_load_colour(uint2 texel, uint slice) {
    float4 value = load_source(texel, slice);
    return SOURCE_CHANNELS < 3u ? float3(value.r, value.r, value.r) : value.rgb;
  }

  uint onepass_load_weight(uint2 texel) {
    uint word = load_channel(address(mask, texel, 0u, MASK_STEP) + MASK_OFFSET, stored_bytes(MASK_STORAGE));
    float value = channel_value(word, MASK_STORAGE);
    if (MASK_STORAGE >= STORED_A2B10G10R10) value = packed_values(word, MASK_STORAGE).r;
    value = value * MASK_SCALE;
    if (MASK_SRGB) value = srgb_decode(value);
    return value > 0.0 ? static_cast<uint>(min(value, 1.0) * 255.0 + 0.5) : 0u;
  }

#include "onepass/luminance_meter.glsl"
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL KERNEL(KERNEL_STRUCT kernel) { kernel.onepass_meter(onepass_group_index()); }
