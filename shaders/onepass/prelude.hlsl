// prelude.hlsl: prelude.glsl in HLSL, shader model 6.0 vocabulary, for DirectX and, through -spirv or glslang, for Vulkan.
// Included through the .hlsl headers, which define ONEPASS_HLSL.
//
// Buffers that workgroups hand results over in are declared globallycoherent: ONEPASS_COHERENT. Atomics return through a
// variable, and never stand in an expression: before HLSL 2021 the operands of && are all evaluated.
#ifndef ONEPASS_PRELUDE_HLSL_
#define ONEPASS_PRELUDE_HLSL_

#ifndef ONEPASS_SUBGROUP
#define ONEPASS_SUBGROUP 0
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
#define onepass_shared_add(target, value) InterlockedAdd(target, value)
#define onepass_shared_add_before(target, value, before) InterlockedAdd(target, value, before)
#define onepass_shared_min(target, value) InterlockedMin(target, value)
#define onepass_shared_max(target, value) InterlockedMax(target, value)
void onepass_group_barrier() { GroupMemoryBarrierWithGroupSync(); }
void onepass_hand_over_barrier() { AllMemoryBarrierWithGroupSync(); }

// SV_GroupIndex, which HLSL gives to entry points only: the headers' functions that take it leave it here.
static uint onepass_group_index;
uint onepass_invocation_index() { return onepass_group_index; }

#if ONEPASS_SUBGROUP
// Waves hold aligned runs of SV_GroupIndex, in any order: what every compiler and driver does with groups of one row, and
// what shader model 6.6 promises.
uint onepass_lane_index() {
  uint size = WaveGetLaneCount();
  return (onepass_group_index & ~(size - 1u)) + WaveGetLaneIndex();
}
uint onepass_subgroup_size() { return WaveGetLaneCount(); }
#define onepass_quad_swap_x(value) QuadReadAcrossX(value)
#define onepass_quad_swap_y(value) QuadReadAcrossY(value)
#define onepass_shuffle(value, lane) WaveReadLaneAt(value, lane)
#define onepass_shuffle_xor(value, mask) WaveReadLaneAt(value, WaveGetLaneIndex() ^ (mask))
#define onepass_uniform(value) WaveReadLaneFirst(value)
#define onepass_all_lanes(value) WaveActiveAllTrue(value)
#else
uint onepass_lane_index() { return onepass_group_index; }
uint onepass_subgroup_size() { return 256u; }  // as if: nothing depends on it
#endif

#endif  // ONEPASS_PRELUDE_HLSL_
