// pyramid_options.glsl: maps the specialization constants of the library's pyramid kernels to the macros of the shader
// header, in the common subset of GLSL and HLSL. Part of pyramid_texel.glsl, which has the constants.
#include "vulkan/target_texel.glsl"

// Instead of a constant that depends on the size: it is computed from the parameters, so that pyramids of all sizes
// share a pipeline.
#define FROM_PARAMS 0xFFFFFFFFu

#define ONEPASS_PARAMS pc
#define ONEPASS_FOOTPRINT FOOTPRINT
#define ONEPASS_STAGE_COUNT (STAGE_COUNT != FROM_PARAMS ? STAGE_COUNT : pc.stage_count)
#define ONEPASS_STAGE_FIRSTS (STAGE_FIRSTS != FROM_PARAMS ? STAGE_FIRSTS : pc.stage_firsts)
#define ONEPASS_STAGE_DEPTHS (STAGE_DEPTHS != FROM_PARAMS ? STAGE_DEPTHS : pc.stage_depths)
#define ONEPASS_STAGE_KINDS (STAGE_KINDS != FROM_PARAMS ? STAGE_KINDS : pc.stage_kinds)
#define ONEPASS_STAGES STAGES
#define ONEPASS_BASE_REMAINDERS \
  (BASE_REMAINDERS != FROM_PARAMS ? BASE_REMAINDERS : (pc.size.x & 7u) | (pc.size.y & 7u) << 3u)
#define ONEPASS_HAS_LAST_TILE (STAGES == ONEPASS_STAGES_LATER || PARTIAL)
#define ONEPASS_HAS_GENERAL HAS_GENERAL
#define ONEPASS_PARTIAL PARTIAL
#define ONEPASS_SUBGROUP_POLLS SUBGROUP_POLLS
#define ONEPASS_MAX_POLLS MAX_POLLS
#define ONEPASS_WINDOW_PAIRS WINDOW_PAIRS
#define ONEPASS_OWN_LOAD_BLOCK
#define ONEPASS_OWN_LOAD_QUAD
#define ONEPASS_OWN_SCRATCH
#define ONEPASS_OWN_TOUCH
#define ONEPASS_OWN_DELAY
#include "onepass/pyramid_levels.glsl"
