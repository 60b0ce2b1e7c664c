// pyramid_params.h: the constants of the pyramid kernels, one text for C, C++, GLSL and HLSL. In C and C++ the struct
// is OnepassPyramidConstants.
//
// Pairs of 16-bit numbers are packed as x | y << 16. Rectangles are two such words: begin and end.
#ifndef ONEPASS_PYRAMID_PARAMS_H_
#define ONEPASS_PYRAMID_PARAMS_H_

#if (defined(__cplusplus) || defined(__STDC_VERSION__)) && !defined(ONEPASS_CUDA)
#include "onepass/host_names.h"
#define PyramidParams OnepassPyramidConstants
#else
#include "onepass/prelude_names.glsl"
#define ONEPASS_STRUCT_(name) struct name
#endif

// The values of the enums Footprint and Reduction.
#define ONEPASS_ALIGNED 0
#define ONEPASS_COVERING 1
#define ONEPASS_TIGHT 2
#define ONEPASS_EDGE 3
#define ONEPASS_MEAN 0
#define ONEPASS_MIN 1
#define ONEPASS_MAX 2
#define ONEPASS_MIN_MAX 3

// Kinds of stages: how a workgroup makes its tile.
#define ONEPASS_STAGE_GENERAL 0u         // 64x64 texels in shared memory: any size, any footprint but tight
#define ONEPASS_STAGE_TWO_TO_ONE 1u      // 2:1 stage, 64x64 texels in registers: every level halves exactly
#define ONEPASS_STAGE_SLIDING_WINDOW 2u  // sliding-window stage, three levels in registers: covering, with odd levels

// Bits of stage_kinds. PUBLISHES: stage 0 may publish its texels as self-validating words. LAST_TO_START, with
// PUBLISHES: last-to-start mode, the last contributor to start reduces the parent tile, not the last to finish.
#define ONEPASS_STAGE_PUBLISHES 0x10000000u
#define ONEPASS_STAGE_LAST_TO_START 0x20000000u

// The stages that a dispatch makes.
#define ONEPASS_STAGES_ALL 0u
#define ONEPASS_STAGES_BASE 1u   // stage 0
#define ONEPASS_STAGES_LATER 2u  // the others, after a dispatch with ONEPASS_STAGES_BASE and a barrier

// Limit of the polls of an invocation for published texels, so that scratch memory in a wrong state cannot hang a
// device. A poll takes at least the time of a load that bypasses the L1 cache: of the order of 1 us on a GPU and 0.1 us
// on a CPU, so that the limit is of the order of 4 s and 0.4 s, while the workgroup is running. A GPU publishes the
// texels within microseconds. On a CPU, polls stop while the thread is descheduled, and 0.4 s are many of a scheduler's
// time slices. The library's own kernels take an eighth on GPUs, because Windows resets a device after 2 s.
#define ONEPASS_DEFAULT_MAX_POLLS 4194304u

#define ONEPASS_MAX_LEVELS 16  // for a base of 65535 texels, level 0 included
#define ONEPASS_MAX_STAGES 6

ONEPASS_STRUCT_(PyramidParams) {
  uint2 size;                // of the base
  uint last_level;           // levels 1 to last_level are made
  uint level;                // per_level: the level this dispatch makes
  uint stage_count;          // single_dispatch: stages in use
  uint stage_depths;         // single_dispatch: levels that stage s makes, 4 bits each, stage 0 lowest
  uint stage_firsts;         // single_dispatch: the level that stage s reads, 4 bits each
  uint stage_kinds;          // single_dispatch: the kind of stage s, ONEPASS_STAGE_, 4 bits each
  uint base_made;            // texels per tile of the last level of stage 0 (sliding-window stage: level 3), packed
  uint base_run;             // stage 0: tiles per workgroup (2:1 stage), rows of level 3 per subgroup (sliding window)
  uint partial;              // not 0: only texels affected by the region are stored
  uint intermediate_levels;  // bit n: level n is an intermediate level, unrounded in scratch memory
  uint intermediate_stride;  // elements of all intermediate levels of one slice
  uint counter_stride;       // counters of one slice
  uint2 region;              // the changed rectangle of the base
  uint2 active_tiles[ONEPASS_MAX_STAGES];  // per stage: the tiles that are made; per_level: element 0, the texels
  // Index in a slice's intermediate levels of the one that stage s + 2 reads.
  uint intermediate_begin[ONEPASS_MAX_STAGES - 2];
};

#if (defined(__cplusplus) || defined(__STDC_VERSION__)) && !defined(ONEPASS_CUDA)
#undef PyramidParams
#include "onepass/host_names_end.h"
#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
static_assert(sizeof(OnepassPyramidConstants) == 128, "Vulkan guarantees 128 bytes of push constants");
static_assert(offsetof(OnepassPyramidConstants, region) == 56 && offsetof(OnepassPyramidConstants, active_tiles) == 64,
              "must match the std430 layout in the shader");
#endif
#else
#undef ONEPASS_STRUCT_
#include "onepass/prelude_names_end.glsl"
#endif
#endif  // ONEPASS_PYRAMID_PARAMS_H_
