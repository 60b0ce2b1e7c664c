// pyramid_texel.glsl: the common part of the library's own pyramid kernels: bindings, specialization constants,
// decoding, reduction and encoding of texels.
//
// COMPONENTS (1, 2 or 4) is a macro, because it chooses a type; so are MULTISAMPLE (the source has several samples per
// texel) and STORAGE_SOURCE (the source is read as a storage image).
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"

layout(constant_id = 0) const uint REDUCTION = 0u;
layout(constant_id = 1) const uint FOOTPRINT = 1u;
layout(constant_id = 2) const uint TEXEL_MODE = 0u;  // one of the MODE_ numbers
layout(constant_id = 3) const uint SOURCE_CHANNELS = 4u;
layout(constant_id = 4) const uint TARGET_CHANNELS = 4u;
layout(constant_id = 5) const bool SOURCE_UNORM = true;
layout(constant_id = 6) const uint TARGET_KIND = 0u;  // one of the KIND_ numbers
layout(constant_id = 7) const bool TARGET_SRGB = false;
layout(constant_id = 8) const bool LINEAR_SAMPLER = false;
layout(constant_id = 9) const bool STORE_LEVELS = true;   // false: a later dispatch stores them (alpha coverage)
layout(constant_id = 12) const float SAMPLE_SHIFT = 0.0;  // in texels; see onepass_load_base_quad
layout(constant_id = 10) const uint DELAY = 0u;           // tests only: loop iterations that delay some workgroups
layout(constant_id = 13) const uint STAGE_COUNT = 1u;     // 13 to 21: see docs/shaders/pyramid.md
layout(constant_id = 14) const uint STAGE_FIRSTS = 0u;
layout(constant_id = 15) const uint STAGE_DEPTHS = 3u;
layout(constant_id = 16) const uint STAGE_KINDS = 0u;
layout(constant_id = 17) const bool HAS_GENERAL = true;
layout(constant_id = 18) const bool PARTIAL = false;
layout(constant_id = 19) const bool WINDOW_PAIRS = false;
layout(constant_id = 20) const bool SUBGROUP_POLLS = false;
layout(constant_id = 21) const uint MAX_POLLS = ONEPASS_DEFAULT_MAX_POLLS;
#if MULTISAMPLE
layout(constant_id = 22) const uint SAMPLES = 4u;
#endif

layout(constant_id = 23) const uint STAGES = ONEPASS_STAGES_ALL;
// 24: the size of a workgroup, in pyramid.comp
layout(constant_id = 25) const uint BASE_REMAINDERS = 0u;
layout(constant_id = 26) const float ALPHA_UNIT = 1.0;  // coverage: the source's quantised alpha that stands for 1
// 11 and 27 to 31: the alpha test, in pyramid_coverage.comp

layout(push_constant, std430) uniform Constants { PyramidParams pc; };
#define TARGET_UNKNOWN_ZERO (pc.last_level >> 4u)  // 0: the last level is at most 15
#include "pyramid_options.glsl"

#if COMPONENTS == 1
#define ONEPASS_ELEMENT float
#elif COMPONENTS == 2
#define ONEPASS_ELEMENT vec2
#else
#define ONEPASS_ELEMENT vec4
#endif

#include "vulkan/source_image.glsl"
layout(binding = 1) uniform writeonly image2DArray levels[LEVEL_IMAGES];  // see the kernels' entry files
layout(binding = 2) ONEPASS_COHERENT buffer Counters { uint counters[]; };
layout(binding = 3) ONEPASS_COHERENT buffer Kept { ONEPASS_ELEMENT kept[]; };

#include "pyramid_arithmetic.glsl"

// Devices that cannot index image arrays by a variable use a switch with constant indices.
#define STORE_CASE(n)                 \
  case n:                             \
    imageStore(levels[n], at, texel); \
    break;
void store_texel(uint image, uint2 where, uint slice, ONEPASS_ELEMENT element) {
  if (!STORE_LEVELS) return;
  int3 at = int3(where, slice);
  float4 texel = encode(element);
#if LEVEL_IMAGES == 1
  imageStore(levels[0], at, texel);
#elif INDEXED_IMAGES
  imageStore(levels[image], at, texel);
#else
  switch (image) {
    STORE_CASE(0)
    STORE_CASE(1)
    STORE_CASE(2)
    STORE_CASE(3)
    STORE_CASE(4)
    STORE_CASE(5)
    STORE_CASE(6)
    STORE_CASE(7)
    STORE_CASE(8)
    STORE_CASE(9)
    STORE_CASE(10)
    STORE_CASE(11)
    STORE_CASE(12)
    STORE_CASE(13)
    STORE_CASE(14)
  }
#endif
}

ONEPASS_ELEMENT onepass_load_intermediate(uint index) { return kept[index]; }
void onepass_store_intermediate(uint index, ONEPASS_ELEMENT value) { kept[index] = value; }
