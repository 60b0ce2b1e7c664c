// tone_map.cu: maps every texel of all slices in one launch, in CUDA C++: tone_map.comp around images in linear memory.
// The constants are those of tone_map_cuda_params.h.
//
// A warp owns 32 texels of a row, which linear memory stores side by side. A thread owns one texel of every eighth row.
#define ONEPASS_CUDA 1
#define ONEPASS_KEEP_NAMES 1
#include "onepass/prelude.glsl"

#include "onepass/tone_map_params.h"
#include "tone_map/tone_map_cuda_params.h"

ONEPASS_DEVICE_BEGIN

#include "cuda/specialized.cuh"
#include "cuda/texels.cuh"

#define COMPONENTS 4
#define CHANNELS 2
#define LEAST_SOURCE_BYTES 1u
#define LEAST_TARGET_BYTES 1u

#define ONEPASS_TONE_PROGRAM program
#define ONEPASS_TONE_CUBICS(i) load_cubic(i)
#define ONEPASS_TONE_MIX MIX
#define ONEPASS_TONE_MATRIX_MASK MATRIX_MASK
#define ONEPASS_TONE_CURVE_MASK CURVE_MASK
#define ONEPASS_TONE_ROOT_MASK ROOT_MASK
#define ONEPASS_TONE_FOOT_MASK FOOT_MASK
#define ONEPASS_TONE_SHIFTS SHIFTS
#define ONEPASS_TONE_CURVE_COUNT CURVE_COUNT
#define ONEPASS_TONE_FINE FINE
#define ONEPASS_TONE_KEEPS_HUE KEEPS_HUE
#define ONEPASS_TONE_GUARD_RAIL GUARD_RAIL
#define ONEPASS_TONE_OOTF_STAGE OOTF_STAGE
#define ONEPASS_TONE_ROOM ((ONEPASS_TONE_CURVES + 1) * ONEPASS_TONE_PIECES)  // 14 KB

#define ONEPASS_LOCAL_NODE(i) load_node(i)

/// The parameter of the kernel: ToneMapParameters in cuda_impl.hpp.
struct KERNEL_STRUCT {
  ToneMapProgram program;
  DeviceRows source;
  DeviceRows target;
  Address cubics;
  Address exposures;                   // floats; 0: none
  unsigned long long exposure_stride;  // bytes from one slice's exposure to the next
  Address nodes;                       // the grid of local exposure
  uint2 size;
  float exposure;
  LocalParams local;
  uint unused[2];

  static constexpr Specialized<CONSTANT_MIX> MIX{};
  static constexpr Specialized<CONSTANT_MATRIX_MASK> MATRIX_MASK{};
  static constexpr Specialized<CONSTANT_CURVE_MASK> CURVE_MASK{};
  static constexpr Specialized<CONSTANT_ROOT_MASK> ROOT_MASK{};
  static constexpr Specialized<CONSTANT_FOOT_MASK> FOOT_MASK{};
  static constexpr Specialized<CONSTANT_SHIFTS> SHIFTS{};
  static constexpr Specialized<CONSTANT_CURVE_COUNT> CURVE_COUNT{};
  static constexpr Specialized<CONSTANT_KEEPS_HUE, bool> KEEPS_HUE{};
  static constexpr Specialized<CONSTANT_GUARD_RAIL, bool> GUARD_RAIL{};
  static constexpr Specialized<CONSTANT_OOTF_STAGE> OOTF_STAGE{};
  static constexpr Specialized<CONSTANT_FINE, bool> FINE{};
  static constexpr Specialized<CONSTANT_DITHER, bool> DITHER{};
  static constexpr Specialized<CONSTANT_LOCAL, bool> LOCAL{};

#include "vulkan/target_texel.glsl"

#include "cuda/source_and_target.cuh"

  float4 load_cubic(uint i) {
    Words4 words = load_word<Words4>(cubics + 16ull * i);
    return float4(onepass_bits_float(words[0]), onepass_bits_float(words[1]), onepass_bits_float(words[2]),
                  onepass_bits_float(words[3]));
  }
#include "onepass/tone_map.glsl"

  float2 load_node(uint i) {
    Words2 words = load_word<Words2>(nodes + 8ull * i);
    return float2(onepass_bits_float(words[0]), onepass_bits_float(words[1]));
  }
#include "onepass/local_exposure.glsl"

  float4 rgba_of(float4 texel) {
    if (SOURCE_CHANNELS == 1u) return float4(texel.r, texel.r, texel.r, 1.0);
    if (SOURCE_CHANNELS == 2u) return float4(texel.r, texel.r, texel.r, texel.g);
    return texel;
  }

  void run(uint3 group, uint lane) {
    uint slice = group.z;
    uint2 first = uint2(group.x * CUDA_TONE_WIDTH + lane % CUDA_TONE_WIDTH,
                        group.y * (CUDA_TONE_ROWS * CUDA_TONE_TEXELS) + lane / CUDA_TONE_WIDTH);
    float4 texels[CUDA_TONE_TEXELS];
    ONEPASS_UNROLL for (uint k = 0u; k < CUDA_TONE_TEXELS; ++k) {
      texels[k] = load_source(min(first + uint2(0u, k * CUDA_TONE_ROWS), size - 1u), slice);
    }
    float factor = exposure;
    if (exposures != 0u) {
      factor *= onepass_tone_usable_exposure(load_word<float>(exposures + slice * exposure_stride));
    }
    onepass_tone_load(lane, uint(CUDA_TONE_WIDTH * CUDA_TONE_ROWS));
    onepass_group_barrier();  // until the curves are in shared memory
    ONEPASS_UNROLL for (uint k = 0u; k < CUDA_TONE_TEXELS; ++k) {
      uint2 at = first + uint2(0u, k * CUDA_TONE_ROWS);
      float4 texel = rgba_of(texels[k]);
      if (LOCAL) {
        uint first_region = slice * local.columns * local.rows;
        texel.rgb = texel.rgb * onepass_local_factor(local, texel.rgb, min(at, size - 1u), first_region, factor);
      }
      float4 stored = onepass_tone_map(texel, factor);
      if (DITHER) stored.rgb = onepass_tone_dither(stored.rgb, at);
      if (TARGET_STORAGE == STORED_F16) stored.rgb = min(stored.rgb, float3(65504.0, 65504.0, 65504.0));
      if (TARGET_CHANNELS == 2u) stored.g = stored.a;
      if (at.x < size.x && at.y < size.y) store_target(target, at, slice, stored);
    }
  }
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL KERNEL(KERNEL_STRUCT kernel) { kernel.run(onepass_group_index(), onepass_invocation_index()); }
