// spd_callbacks.glsl: the callbacks of FidelityFX SPD as those of the pyramid kernel. Part of spd.glsl.
//
// SPD's callbacks know no size. Where ONEPASS_SPD_SIZE gives none, the kernel works on an image of 4096x4096 texels, of
// which the dispatch covers some tiles: texels beyond the image are read and stored as by SPD.
#ifndef ONEPASS_SPD_CALLBACKS_GLSL_
#define ONEPASS_SPD_CALLBACKS_GLSL_

#include "onepass/spd_types.glsl"

#if defined(SPD_NO_WAVE_OPERATIONS) || defined(FFX_SPD_NO_WAVE_OPERATIONS)
#ifdef ONEPASS_SUBGROUP
#if ONEPASS_SUBGROUP
#error "spd: ONEPASS_SUBGROUP 1 and SPD_NO_WAVE_OPERATIONS exclude each other."
#endif
#endif
#elif !defined(ONEPASS_SUBGROUP)
#define ONEPASS_SUBGROUP 1
#define ONEPASS_QUADS 1
#endif

#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"

#ifndef ONEPASS_SPD_WITHOUT_SLICES
#define ONEPASS_SPD_WITHOUT_SLICES 0
#endif
// SPD's callbacks may be macros, so that no argument is not the same as an empty one.
#if ONEPASS_SPD_WITHOUT_SLICES
#define ONEPASS_SPD_SLICE_
#define ONEPASS_SPD_INCREASE_ SpdIncreaseAtomicCounter()
#else
#define ONEPASS_SPD_SLICE_ , slice
#define ONEPASS_SPD_INCREASE_ SpdIncreaseAtomicCounter(slice)
#endif

// Which entry points there are: _FLOATS_ has SpdDownsample, _HALVES_ SpdDownsampleH. With both, elements are floats.
#ifdef A_HALF
#define ONEPASS_SPD_HALVES_ 1
#define ONEPASS_SPD_HALF_ AH1
#define ONEPASS_SPD_HALF4_ AH4
#elif defined(FFX_HALF)
#if FFX_HALF
#define ONEPASS_SPD_HALVES_ 1
#define ONEPASS_SPD_HALF_ FfxFloat16
#define ONEPASS_SPD_HALF4_ FfxFloat16x4
#endif
#endif
#ifndef ONEPASS_SPD_HALVES_
#define ONEPASS_SPD_HALVES_ 0
#endif
#if ONEPASS_SPD_HALVES_ && (defined(SPD_PACKED_ONLY) || defined(FFX_SPD_PACKED_ONLY))
#define ONEPASS_SPD_FLOATS_ 0
#define ONEPASS_ELEMENT ONEPASS_SPD_HALF4_
#define ONEPASS_SCALAR ONEPASS_SPD_HALF_
#if ONEPASS_SUBGROUP && !defined(ONEPASS_HLSL)
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#endif
#else
#define ONEPASS_SPD_FLOATS_ 1
#define ONEPASS_ELEMENT onepass_float4
#define ONEPASS_COLUMN_PASSES 2
#endif

#ifndef ONEPASS_FOOTPRINT
#if defined(ONEPASS_REDUCTION) || defined(ONEPASS_REDUCE3_NESTS)
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#else
#define ONEPASS_FOOTPRINT ONEPASS_ALIGNED
#endif
#endif
#if ONEPASS_FOOTPRINT == ONEPASS_COVERING
#ifndef ONEPASS_SPD_SIZE
#error "spd: define ONEPASS_SPD_SIZE, the size of the source image as two uints: odd sizes cannot be exact without it."
#endif
#ifdef SPD_LINEAR_SAMPLER
#error "spd: levels that are exact at odd sizes need single texels: undefine SPD_LINEAR_SAMPLER, and load a texel in SpdLoadSourceImage."
#endif
#elif ONEPASS_FOOTPRINT != ONEPASS_ALIGNED
#error "spd: ONEPASS_FOOTPRINT is ONEPASS_ALIGNED, which drops rows and columns of odd sizes, or ONEPASS_COVERING."
#elif !defined(ONEPASS_REDUCTION)
#define ONEPASS_OWN_REDUCE4
#endif
#ifdef ONEPASS_REDUCTION
#if ONEPASS_REDUCTION == ONEPASS_MIN_MAX
#error "spd: ONEPASS_MIN_MAX has two components, an element of SPD four: define onepass_reduce2 and ONEPASS_REDUCE3_NESTS."
#endif
#endif

// Without subgroup operations or at odd sizes, tiles are made in shared memory.
#if ONEPASS_SUBGROUP && !defined(ONEPASS_SPD_SIZE)
#define ONEPASS_TWO_TO_ONE_ONLY 1
#define ONEPASS_HAS_GENERAL false
#endif
#define ONEPASS_PARTIAL false
#define ONEPASS_PARAMS onepass_spd_params
#define ONEPASS_OWN_SCRATCH

// Orders the accesses of an invocation to all memory of the device, images included.
#ifdef ONEPASS_HLSL
#define onepass_spd_fence() DeviceMemoryBarrier()
#else
#if ONEPASS_MEMORY_MODEL
#error "spd: the callbacks of SPD are not in terms of the Vulkan memory model: ONEPASS_MEMORY_MODEL is 0."
#endif
#define onepass_spd_fence() memoryBarrier()
#endif

#include "onepass/prelude_names.glsl"

ONEPASS_PRIVATE PyramidParams onepass_spd_params;
ONEPASS_PRIVATE bool onepass_spd_packed;  // SpdDownsampleH was called
ONEPASS_PRIVATE bool onepass_spd_stores;  // false while a workgroup makes texels of a neighbouring tile

void onepass_spd_enter(uint index, bool packed) {
#ifdef ONEPASS_HLSL
  onepass_group_index = index;
#endif
  onepass_spd_packed = packed;
  onepass_spd_stores = true;
}

// The members that tiles read. Level 6 has at most 64x64 texels, those of a slice follow each other.
void onepass_spd_set_params(uint mips) {
#ifdef ONEPASS_SPD_SIZE
  onepass_spd_params.size = uint2(ONEPASS_SPD_SIZE);
#else
  onepass_spd_params.size = uint2(4096u, 4096u);
#endif
  onepass_spd_params.last_level = min(mips, 12u);
  onepass_spd_params.intermediate_levels = 0u;
  onepass_spd_params.intermediate_stride = 4096u;
}

#if ONEPASS_SPD_HALVES_ && ONEPASS_SPD_FLOATS_
#define ONEPASS_SPD_CHOOSE_(floats, halves) \
  if (!onepass_spd_packed) return floats;   \
  return float4(halves)
#elif ONEPASS_SPD_HALVES_
#define ONEPASS_SPD_CHOOSE_(floats, halves) return halves
#else
#define ONEPASS_SPD_CHOOSE_(floats, halves) return floats
#endif

// With a linear sampler a texel of a 2x2 block stands for the block, of which the callback knows the mean only.
ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice) {
#ifdef SPD_LINEAR_SAMPLER
  texel &= ~1u;
#endif
  ONEPASS_SPD_CHOOSE_(SpdLoadSourceImage(int2(texel) ONEPASS_SPD_SLICE_),
                      SpdLoadSourceImageH(int2(texel) ONEPASS_SPD_SLICE_));
}

#ifdef SPD_LINEAR_SAMPLER
#define ONEPASS_OWN_LOAD_QUAD
ONEPASS_ELEMENT onepass_load_base_quad(uint2 texel, uint slice) { return onepass_load_base(2u * texel, slice); }
#endif

void onepass_store_level(uint level, uint2 texel, uint slice, ONEPASS_ELEMENT value) {
  if (!onepass_spd_stores || level > onepass_spd_params.last_level) return;
#if ONEPASS_SPD_HALVES_
  if (onepass_spd_packed) SpdStoreH(int2(texel), ONEPASS_SPD_HALF4_(value), level - 1u ONEPASS_SPD_SLICE_);
#endif
#if ONEPASS_SPD_FLOATS_
  if (!onepass_spd_packed) SpdStore(int2(texel), value, level - 1u ONEPASS_SPD_SLICE_);
#endif
}

#ifdef ONEPASS_OWN_REDUCE4
ONEPASS_ELEMENT onepass_reduce4(ONEPASS_ELEMENT v00, ONEPASS_ELEMENT v10, ONEPASS_ELEMENT v01, ONEPASS_ELEMENT v11) {
  ONEPASS_SPD_CHOOSE_(SpdReduce4(v00, v10, v01, v11), SpdReduce4H(ONEPASS_SPD_HALF4_(v00), ONEPASS_SPD_HALF4_(v10),
                                                                  ONEPASS_SPD_HALF4_(v01), ONEPASS_SPD_HALF4_(v11)));
}
#endif

// Level 6. `index` counts texels of its rows.
ONEPASS_ELEMENT onepass_load_intermediate(uint index) {
  uint slice = index / onepass_spd_params.intermediate_stride;
  uint i = index - slice * onepass_spd_params.intermediate_stride;
  uint width = max(onepass_spd_params.size.x >> 6u, 1u);
  int2 texel = int2(uint2(i % width, i / width));
  ONEPASS_SPD_CHOOSE_(SpdLoad(texel ONEPASS_SPD_SLICE_), SpdLoadH(texel ONEPASS_SPD_SLICE_));
}

// What the kernel stores for later stages is in level 6 already, and spd.glsl counts workgroups.
void onepass_store_intermediate(uint index, ONEPASS_ELEMENT value) {}
uint onepass_increment(uint counter) { return 0u; }
void onepass_reset(uint counter) {}

#include "onepass/prelude_names_end.glsl"
#include "onepass/pyramid_callbacks.glsl"
#endif  // ONEPASS_SPD_CALLBACKS_GLSL_
