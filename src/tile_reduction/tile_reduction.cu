// tile_reduction.cu: one coarser image of all slices in one launch, in CUDA C++: tile_reduction.comp around images in
// linear memory. src/tile_reduction/kernels.cmake has the variants; the constants are those of
// tile_reduction_cuda_params.h.
//
// KERNEL is the name of the kernel, COMPONENTS (1, 2 or 4) the components of an element, MOST_READS a bound of the
// blocks of 2x2 texels that a thread reads.
#define ONEPASS_CUDA 1
#define ONEPASS_SUBGROUP 1
#define ONEPASS_KEEP_NAMES 1
#include "onepass/prelude.glsl"

#include "onepass/pyramid_params.h"
#include "onepass/tile_reduction_params.h"
#include "tile_reduction/tile_reduction_cuda_params.h"

ONEPASS_DEVICE_BEGIN

#include "cuda/specialized.cuh"
#include "cuda/texels.cuh"

#define ONEPASS_TILE_COMPONENTS COMPONENTS
#define LEAST_SOURCE_BYTES (COMPONENTS == 4 ? 2u : 1u)
#define LEAST_TARGET_BYTES (COMPONENTS == 1 ? 1u : 2u)
#if COMPONENTS == 1
#define ONEPASS_ELEMENT float
#elif COMPONENTS == 2
#define ONEPASS_ELEMENT onepass_float2
#else
#define ONEPASS_ELEMENT onepass_float4
#endif
#define ONEPASS_TILE_STRATEGY 3  // ONEPASS_TILE_SUBGROUP
#define ONEPASS_TILE_GROUP_LOG2 uint(CUDA_TILE_GROUP_LOG2)
#define ONEPASS_TILE_SIDE_LOG2 SIDE_LOG2
#define ONEPASS_TILE_READS_LOG2 READS_LOG2
#define ONEPASS_TILE_READS_BOUND uint(MOST_READS)
#define ONEPASS_TILE_COUNT pc.tiles

/// The parameter of the kernel: TileReductionParameters in cuda_impl.hpp.
struct KERNEL_STRUCT {
  TileReductionParams pc;
  DeviceRows source;
  DeviceRows target;

  static constexpr Specialized<CONSTANT_REDUCTION> REDUCTION{};
  static constexpr Specialized<CONSTANT_SIDE_LOG2> SIDE_LOG2{};
  static constexpr Specialized<CONSTANT_READS_LOG2> READS_LOG2{};
  static constexpr Specialized<CONSTANT_PARTIAL, bool> PARTIAL{};

#include "vulkan/target_texel.glsl"

#include "cuda/source_and_target.cuh"
  void store_target(uint2 texel, uint slice, float4 value) { store_target(target, texel, slice, value); }

#include "tile_reduction/tile_reduction_texel.glsl"

#include "onepass/tile_reduction.glsl"
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL KERNEL(KERNEL_STRUCT kernel) { kernel.onepass_tile_reduction(onepass_group_index()); }
