// prelude.hlsl: the names of prelude.glsl in HLSL of shader model 6.0, for DirectX and, by DXC's -spirv or by glslang,
// for Vulkan. The .hlsl headers define ONEPASS_HLSL and include it through prelude.glsl.
//
// Buffers of the inter-workgroup exchange are declared globallycoherent (ONEPASS_COHERENT). Atomics return their result
// in a variable and are never part of an expression: before HLSL 2021 all operands of && are evaluated.
#ifndef ONEPASS_PRELUDE_HLSL_
#define ONEPASS_PRELUDE_HLSL_

#ifndef ONEPASS_SUBGROUP
#define ONEPASS_SUBGROUP 0
#endif
#ifndef ONEPASS_QUADS
#define ONEPASS_QUADS 0
#endif
#if defined(ONEPASS_MEMORY_MODEL) && ONEPASS_MEMORY_MODEL
#error "ONEPASS_MEMORY_MODEL is for GLSL: HLSL has no words for the Vulkan memory model. Leave it undefined or 0."
#endif

#include "onepass/prelude_types.hlsl"

#define ONEPASS_UNROLL [unroll]
#define ONEPASS_LOOP [loop]
#define ONEPASS_COHERENT globallycoherent

void onepass_release() { DeviceMemoryBarrier(); }
void onepass_acquire() { DeviceMemoryBarrier(); }
#define onepass_atomic_add(target, value) InterlockedAdd(target, value)
#define onepass_atomic_add_before(target, value, before) InterlockedAdd(target, value, before)
#define onepass_atomic_max(target, value) InterlockedMax(target, value)
#define onepass_atomic_load(target, value) InterlockedAdd(target, 0u, value)
// HLSL has no atomic store.
#define onepass_atomic_store(target, value)              \
  {                                                      \
    uint onepass_before_;                                \
    InterlockedExchange(target, value, onepass_before_); \
  }
#define onepass_shared_add(target, value) InterlockedAdd(target, value)
#define onepass_shared_add_before(target, value, before) InterlockedAdd(target, value, before)
#define onepass_shared_max(target, value) InterlockedMax(target, value)
void onepass_group_barrier() { GroupMemoryBarrierWithGroupSync(); }
void onepass_exchange_barrier() { AllMemoryBarrierWithGroupSync(); }

// SV_GroupIndex, which HLSL passes to entry points only. The functions of the .hlsl headers that take it store it here.
static uint onepass_group_index;
uint onepass_invocation_index() { return onepass_group_index; }

#if ONEPASS_SUBGROUP && ONEPASS_QUADS
// Four consecutive SV_GroupIndex are a quad, in waves of any size, full or not: kernels see waves of four.
uint onepass_workgroup_index() { return onepass_group_index; }
uint onepass_subgroup_size() { return 4u; }
#define onepass_quad_swap_x(value) QuadReadAcrossX(value)
#define onepass_quad_swap_y(value) QuadReadAcrossY(value)
#define onepass_shuffle_xor(value, mask) \
  ((mask) == 1u ? QuadReadAcrossX(value) : (mask) == 2u ? QuadReadAcrossY(value) : QuadReadAcrossDiagonal(value))
#elif ONEPASS_SUBGROUP
// Assumes that a wave holds a contiguous range of SV_GroupIndex aligned to its size, in any order. Every compiler and
// driver does so for groups of one row, and shader model 6.6 guarantees it.
uint onepass_workgroup_index() {
  uint size = WaveGetLaneCount();
  return (onepass_group_index & ~(size - 1u)) + WaveGetLaneIndex();
}
uint onepass_subgroup_size() { return WaveGetLaneCount(); }
#define onepass_quad_swap_x(value) QuadReadAcrossX(value)
#define onepass_quad_swap_y(value) QuadReadAcrossY(value)
#define onepass_shuffle(value, lane) WaveReadLaneAt(value, lane)
#define onepass_shuffle_xor(value, mask) WaveReadLaneAt(value, WaveGetLaneIndex() ^ (mask))
#define onepass_uniform(value) WaveReadLaneFirst(value)
#define onepass_subgroup_all(value) WaveActiveAllTrue(value)
#else
uint onepass_workgroup_index() { return onepass_group_index; }
uint onepass_subgroup_size() { return 256u; }  // a placeholder: no result depends on it
#endif

#endif  // ONEPASS_PRELUDE_HLSL_
