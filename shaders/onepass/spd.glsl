// spd.glsl: the callbacks and entry points of FidelityFX SPD, with the pyramid kernel behind them: up to 12 levels of
// an image of up to 4096x4096 texels in one dispatch. It takes the place of `ffx_spd.h` in shaders that exist already.
//
// A workgroup of 256 invocations makes levels 1 to 6 of a tile of 64x64 texels. The last workgroup of a slice to finish
// reads level 6 back, by SpdLoad, and makes levels 7 to 12 of the slice. Level n is mip n - 1 of SpdStore.
//
// Define before including what SPD asks for, in the words of SPD 1.0 to 2.0 (`ffx_a.h`, A_GPU) or of the FidelityFX SDK
// (`ffx_core.h`, FFX_GPU); spd_types.glsl has the types of both:
//     float4 SpdLoadSourceImage(int2 texel, uint slice), float4 SpdLoad(int2 texel, uint slice),
//     void SpdStore(int2 texel, float4 value, uint mip, uint slice),
//     float4 SpdReduce4(float4 v0, float4 v1, float4 v2, float4 v3),
//     void SpdIncreaseAtomicCounter(uint slice), uint SpdGetAtomicCounter(), void SpdResetAtomicCounter(uint slice)
// with half precision (A_HALF, FFX_HALF) the functions of these names with an H at the end. SpdLoadIntermediate and
// SpdStoreIntermediate are not called: the kernel has shared memory of its own. Of SPD's macros it reads
//     SPD_LINEAR_SAMPLER          SpdLoadSourceImage(p) returns the mean of 2x2 texels at p
//     SPD_NO_WAVE_OPERATIONS, FFX_SPD_NO_WAVE_OPERATIONS     no quad operations
//     SPD_PACKED_ONLY, FFX_SPD_PACKED_ONLY                   only SpdDownsampleH, in half precision throughout
// Macros of onepass, none of which is needed:
//     ONEPASS_SPD_SIZE            the size of the source image, uvec2(...): no read leaves the image, so that the
//     levels
//                                 of images much wider than high, or higher than wide, are right
//     ONEPASS_REDUCTION           ONEPASS_MEAN, _MIN or _MAX, in place of SpdReduce4: levels are exact at odd sizes too
//                                 (ONEPASS_FOOTPRINT is then ONEPASS_COVERING). Needs ONEPASS_SPD_SIZE
//     ONEPASS_SPD_WITHOUT_SLICES 1     callbacks of SPD 1.0, without `slice` and without SpdResetAtomicCounter
//     ONEPASS_SUBGROUP 1          all subgroup operations instead of those of quads; subgroups must be full
// Then call SpdDownsample or SpdDownsampleH as before. docs/shaders/spd.md has a shader and the differences.
//
// Memory order: the stores of a workgroup, those to images included, precede the increment of the counter; the loads of
// the last workgroup follow it. The image that SpdLoad reads must be coherent, as SPD demands.
#ifndef ONEPASS_SPD_GLSL_
#define ONEPASS_SPD_GLSL_

#include "onepass/spd_callbacks.glsl"
#include "onepass/pyramid_general.glsl"
#include "onepass/prelude_names.glsl"
#if ONEPASS_SUBGROUP
#include "onepass/pyramid_two_to_one.glsl"
#include "onepass/prelude_names.glsl"
#endif
#if ONEPASS_FOOTPRINT == ONEPASS_COVERING
#include "onepass/spd_covering.glsl"
#include "onepass/prelude_names.glsl"
#endif

// Levels that a tile of 64x64 texels makes at most, and the index of its level for SpdStore and SpdLoad.
#define ONEPASS_SPD_TILE_LEVELS 6u

OnepassStage onepass_spd_stage(uint first, uint depth) {
  OnepassStage stage;
  stage.first = first;
  stage.depth = depth;
  stage.kind = ONEPASS_STAGE_GENERAL;
  return stage;
}

// True if levels `first` + 1 to `last` halve exactly. Without the size of the image SPD's callbacks decide what lies
// beyond it, and every level halves.
bool onepass_spd_halves(uint first, uint last) {
#ifdef ONEPASS_SPD_SIZE
  uint2 size = ONEPASS_PARAMS.size;
  uint dropped = ((1u << last) - 1u) & ~((1u << first) - 1u);
  bool exact = ((size.x | size.y) & dropped) == 0u || ONEPASS_FOOTPRINT == ONEPASS_ALIGNED;
  return exact && min(size.x, size.y) >> last > 0u;
#else
  return true;
#endif
}

// Makes the levels of a tile of the base.
void onepass_spd_tile(uint2 tile, uint slice, uint lane) {
  uint depth = min(ONEPASS_PARAMS.last_level, ONEPASS_SPD_TILE_LEVELS);
#if ONEPASS_SUBGROUP
  if (onepass_spd_halves(0u, depth)) {
    ONEPASS_ELEMENT value[4];
    onepass_two_to_one_load(tile, slice, lane, value);
    onepass_two_to_one_base_tile(depth, tile, slice, ONEPASS_NOT_INTERMEDIATE, 0u, 0u, false, lane, value);
  }
#ifdef ONEPASS_SPD_SIZE
  else
#endif
#endif
#if !ONEPASS_SUBGROUP || defined(ONEPASS_SPD_SIZE)
  {
#if ONEPASS_FOOTPRINT == ONEPASS_COVERING
    onepass_spd_covering_tile(depth, tile, slice, lane);
#else
    onepass_general_tile(onepass_spd_stage(0u, depth), tile, slice, lane);
#endif
  }
#endif
}

// Makes the levels after level 6, of which one workgroup reads all texels, at most 64x64.
void onepass_spd_last_tile(uint slice, uint lane) {
  OnepassStage stage = onepass_spd_stage(ONEPASS_SPD_TILE_LEVELS, ONEPASS_PARAMS.last_level - ONEPASS_SPD_TILE_LEVELS);
#if ONEPASS_SUBGROUP
  if (onepass_spd_halves(stage.first, ONEPASS_PARAMS.last_level)) {
    onepass_two_to_one_intermediate_tile(stage, uint2(0u, 0u), slice, slice * ONEPASS_PARAMS.intermediate_stride, false,
                                         ONEPASS_NOT_INTERMEDIATE, lane);
  }
#ifdef ONEPASS_SPD_SIZE
  else
#endif
#endif
#if !ONEPASS_SUBGROUP || defined(ONEPASS_SPD_SIZE)
    onepass_general_tile(stage, uint2(0u, 0u), slice, lane);
#endif
}

// Counts the workgroup. True in all invocations of the last one of `workgroups` to finish, which sees level 6 of all.
bool onepass_spd_is_last(uint workgroups, uint slice, uint lane) {
  onepass_spd_fence();
  onepass_group_barrier();  // the texels of all invocations are stored
  if (lane == 0u) ONEPASS_SPD_INCREASE_;
  onepass_group_barrier();  // the counter of the workgroup is valid
  bool last = SpdGetAtomicCounter() + 1u == workgroups;
#if !ONEPASS_SPD_WITHOUT_SLICES
  if (last && lane == 0u) SpdResetAtomicCounter(slice);
#endif
  if (last) onepass_spd_fence();
  return last;
}

void onepass_spd(uint2 tile, uint lane, uint mips, uint workgroups, uint slice) {
#if ONEPASS_SUBGROUP && !ONEPASS_QUADS
  lane = onepass_workgroup_index();  // shuffles need the order of subgroups
#endif
  onepass_spd_set_params(mips);
  onepass_spd_tile(tile, slice, lane);
  if (ONEPASS_PARAMS.last_level > ONEPASS_SPD_TILE_LEVELS) {
    if (onepass_spd_is_last(workgroups, slice, lane)) onepass_spd_last_tile(slice, lane);
  }
}

// ---- The entry points. `workGroupID` and `localInvocationIndex` are those of the dispatch; `numWorkGroups` is the
// number of workgroups of a slice; `workGroupOffset` is the tile of workgroup (0, 0).

#if ONEPASS_SPD_FLOATS_
void SpdDownsample(uint2 workGroupID, uint localInvocationIndex, uint mips, uint numWorkGroups, uint slice) {
  onepass_spd_enter(localInvocationIndex, false);
  onepass_spd(workGroupID, localInvocationIndex, mips, numWorkGroups, slice);
}
void SpdDownsample(uint2 workGroupID, uint localInvocationIndex, uint mips, uint numWorkGroups, uint slice,
                   uint2 workGroupOffset) {
  SpdDownsample(workGroupID + workGroupOffset, localInvocationIndex, mips, numWorkGroups, slice);
}
void SpdDownsample(uint2 workGroupID, uint localInvocationIndex, uint mips, uint numWorkGroups) {
  SpdDownsample(workGroupID, localInvocationIndex, mips, numWorkGroups, 0u);
}
#endif
#if ONEPASS_SPD_HALVES_
void SpdDownsampleH(uint2 workGroupID, uint localInvocationIndex, uint mips, uint numWorkGroups, uint slice) {
  onepass_spd_enter(localInvocationIndex, true);
  onepass_spd(workGroupID, localInvocationIndex, mips, numWorkGroups, slice);
}
void SpdDownsampleH(uint2 workGroupID, uint localInvocationIndex, uint mips, uint numWorkGroups, uint slice,
                    uint2 workGroupOffset) {
  SpdDownsampleH(workGroupID + workGroupOffset, localInvocationIndex, mips, numWorkGroups, slice);
}
void SpdDownsampleH(uint2 workGroupID, uint localInvocationIndex, uint mips, uint numWorkGroups) {
  SpdDownsampleH(workGroupID, localInvocationIndex, mips, numWorkGroups, 0u);
}
#endif

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_SPD_GLSL_
