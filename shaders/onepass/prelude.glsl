// prelude.glsl: the few names in the onepass shader headers that GLSL and HLSL spell differently.
//
// The headers are written in the common subset of the languages plus these names, so that HLSL needs a second prelude,
// prelude.hlsl, CUDA C++ a third one, prelude.cuh, and neither a copy of the headers. Define ONEPASS_MEMORY_MODEL 1 to
// use the Vulkan memory model (feature vulkanMemoryModel), ONEPASS_SUBGROUP 1 to use subgroup operations, with
// ONEPASS_QUADS 1 only those of quads.
#ifndef ONEPASS_PRELUDE_GLSL_
#define ONEPASS_PRELUDE_GLSL_

#ifdef ONEPASS_HLSL
#include "onepass/prelude.hlsl"
#else
#ifdef ONEPASS_CUDA
#include "onepass/prelude.cuh"
#else

#ifndef ONEPASS_MEMORY_MODEL
#define ONEPASS_MEMORY_MODEL 0
#endif
#ifndef ONEPASS_SUBGROUP
#define ONEPASS_SUBGROUP 0
#endif
#ifndef ONEPASS_QUADS
#define ONEPASS_QUADS 0
#endif

#include "onepass/prelude_types.glsl"

// Unrolls a loop with constant bounds, as it must: after a loop that some invocations skip, Mesa 22's lavapipe no
// longer executes all of them.
#extension GL_EXT_control_flow_attributes : require
#define ONEPASS_UNROLL [[unroll]]
// Keeps a loop that runs once or twice per dispatch: fetching its unrolled instructions takes longer than running it.
#define ONEPASS_LOOP [[dont_unroll]]

#extension GL_KHR_memory_scope_semantics : require
#if ONEPASS_SUBGROUP
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#if !ONEPASS_QUADS
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#endif

// onepass_atomic_store resets a counter. A plain store would race with the other workgroups' increments, which precede
// it but are not released.
#if ONEPASS_MEMORY_MODEL
// Qualifier of a buffer that workgroups of one queue family exchange values through; see workgroup_exchange.glsl.
#define ONEPASS_COHERENT queuefamilycoherent
/// Release: makes this invocation's buffer writes available to every workgroup.
void onepass_release() {
  memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
}
/// Acquire: makes other workgroups' released buffer writes visible to this invocation.
void onepass_acquire() {
  memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
}
#define onepass_atomic_add(target, value) atomicAdd(target, value, gl_ScopeQueueFamily, 0, 0)
#define onepass_atomic_max(target, value) atomicMax(target, value, gl_ScopeQueueFamily, 0, 0)
#define onepass_atomic_add_before(target, value, before) before = atomicAdd(target, value, gl_ScopeQueueFamily, 0, 0)
#define onepass_atomic_load(target, value) value = atomicLoad(target, gl_ScopeQueueFamily, 0, 0)
#define onepass_atomic_store(target, value) atomicStore(target, value, gl_ScopeQueueFamily, 0, 0)
#define onepass_shared_add(target, value) atomicAdd(target, value, gl_ScopeWorkgroup, 0, 0)
#define onepass_shared_add_before(target, value, before) before = atomicAdd(target, value, gl_ScopeWorkgroup, 0, 0)
/// All invocations of the workgroup have arrived and see each other's writes to shared memory.
void onepass_group_barrier() {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}
/// The same, and for buffer writes: one invocation can then release or acquire for the workgroup.
void onepass_exchange_barrier() {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsBuffer,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
}
#else
#define ONEPASS_COHERENT coherent
void onepass_release() { memoryBarrierBuffer(); }
void onepass_acquire() { memoryBarrierBuffer(); }
#define onepass_atomic_add(target, value) atomicAdd(target, value)
#define onepass_atomic_max(target, value) atomicMax(target, value)
#define onepass_atomic_add_before(target, value, before) before = atomicAdd(target, value)
#define onepass_atomic_load(target, value) value = atomicAdd(target, 0u)
#define onepass_atomic_store(target, value) atomicStore(target, value, gl_ScopeDevice, 0, 0)
#define onepass_shared_add(target, value) atomicAdd(target, value)
#define onepass_shared_add_before(target, value, before) before = atomicAdd(target, value)
void onepass_group_barrier() {
  memoryBarrierShared();
  barrier();
}
void onepass_exchange_barrier() {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsBuffer,
                 gl_SemanticsAcquireRelease);
}
#endif

#define onepass_shared_max(target, value) atomicMax(target, value)

/// Index within the workgroup.
uint onepass_invocation_index() { return gl_LocalInvocationIndex; }

#if ONEPASS_SUBGROUP && ONEPASS_QUADS
// Four consecutive invocations are a quad, in subgroups of any size, full or not: kernels see subgroups of four.
uint onepass_workgroup_index() { return gl_LocalInvocationIndex; }
uint onepass_subgroup_size() { return 4u; }
#define onepass_quad_swap_x(value) subgroupQuadSwapHorizontal(value)
#define onepass_quad_swap_y(value) subgroupQuadSwapVertical(value)
#define onepass_shuffle_xor(value, mask)              \
  ((mask) == 1u   ? subgroupQuadSwapHorizontal(value) \
   : (mask) == 2u ? subgroupQuadSwapVertical(value)   \
                  : subgroupQuadSwapDiagonal(value))
#elif ONEPASS_SUBGROUP
/// Index within the workgroup such that consecutive indices are consecutive invocations of a subgroup.
uint onepass_workgroup_index() { return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; }
uint onepass_subgroup_size() { return gl_SubgroupSize; }
#define onepass_quad_swap_x(value) subgroupQuadSwapHorizontal(value)
#define onepass_quad_swap_y(value) subgroupQuadSwapVertical(value)
#define onepass_shuffle(value, lane) subgroupShuffle(value, lane)
#define onepass_shuffle_xor(value, mask) subgroupShuffleXor(value, mask)
/// Tells the compiler that a value is the same in all invocations of the subgroup.
#define onepass_uniform(value) subgroupBroadcastFirst(value)
#define onepass_subgroup_all(value) (subgroupBallot(!(value)) == uvec4(0u))  // a ballot needs no vote feature
#else
uint onepass_workgroup_index() { return gl_LocalInvocationIndex; }
uint onepass_subgroup_size() { return 256u; }  // a placeholder: no result depends on it
#endif

#endif  // ONEPASS_CUDA
#endif  // ONEPASS_HLSL
#endif  // ONEPASS_PRELUDE_GLSL_
