// pyramid.hlsl: src/pyramid/pyramid.comp in HLSL: the same bindings and constants around the same headers, so that the
// tests of the library's kernels can run on the output of the HLSL front end.
#define ONEPASS_HLSL 1
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"

[[vk::constant_id(0)]] const uint REDUCTION = 0u;
[[vk::constant_id(1)]] const uint FOOTPRINT = 1u;
[[vk::constant_id(2)]] const uint TEXEL_MODE = 0u;
[[vk::constant_id(3)]] const uint SOURCE_CHANNELS = 4u;
[[vk::constant_id(4)]] const uint TARGET_CHANNELS = 4u;
[[vk::constant_id(5)]] const bool SOURCE_UNORM = true;
[[vk::constant_id(6)]] const uint TARGET_KIND = 0u;
[[vk::constant_id(7)]] const bool TARGET_SRGB = false;
[[vk::constant_id(8)]] const bool LINEAR_SAMPLER = false;
[[vk::constant_id(9)]] const bool STORE_LEVELS = true;
[[vk::constant_id(12)]] const float SAMPLE_SHIFT = 0.0;
[[vk::constant_id(10)]] const uint DELAY = 0u;
[[vk::constant_id(13)]] const uint STAGE_COUNT = 1u;
[[vk::constant_id(14)]] const uint STAGE_FIRSTS = 0u;
[[vk::constant_id(15)]] const uint STAGE_DEPTHS = 3u;
[[vk::constant_id(16)]] const uint STAGE_KINDS = 0u;
[[vk::constant_id(17)]] const bool HAS_GENERAL = true;
[[vk::constant_id(18)]] const bool PARTIAL = false;
[[vk::constant_id(23)]] const uint STAGES = ONEPASS_STAGES_ALL;
[[vk::constant_id(24)]] const uint WORKGROUP_SIZE = 256u;
[[vk::constant_id(25)]] const uint BASE_REMAINDERS = 0u;
[[vk::constant_id(26)]] const float ALPHA_UNIT = 1.0;
[[vk::constant_id(19)]] const bool WINDOW_PAIRS = false;
[[vk::constant_id(20)]] const bool SUBGROUP_POLLS = false;
[[vk::constant_id(21)]] const uint MAX_POLLS = ONEPASS_DEFAULT_MAX_POLLS;

[[vk::push_constant]] cbuffer Constants { PyramidParams pc; };
#define ONEPASS_TILE_PARTS (256u / WORKGROUP_SIZE)
#include "pyramid/pyramid_options.glsl"

#if COMPONENTS == 1
#define ONEPASS_ELEMENT float
#elif COMPONENTS == 2
#define ONEPASS_ELEMENT float2
#else
#define ONEPASS_ELEMENT float4
#endif

// Image and sampler of one combined descriptor.
[[vk::binding(0)]] Texture2DArray<float4> source;
[[vk::binding(0)]] SamplerState source_sampler;
[[vk::binding(1)]] RWTexture2DArray<float4> levels[15];
[[vk::binding(2)]] ONEPASS_COHERENT RWStructuredBuffer<uint> counters;
[[vk::binding(3)]] ONEPASS_COHERENT RWStructuredBuffer<ONEPASS_ELEMENT> kept;

#define load_source(texel, slice) source.Load(int4(texel, slice, 0))
#define gather_red(at) source.GatherRed(source_sampler, at)
#define sample_source(at) source.SampleLevel(source_sampler, at, 0.0)
#include "pyramid/pyramid_arithmetic.glsl"

#define STORE_CASE(n)      \
  case n:                  \
    levels[n][at] = texel; \
    break;
void onepass_store_level(uint level, uint2 where, uint slice, ONEPASS_ELEMENT value) {
  if (!STORE_LEVELS) return;
  uint3 at = uint3(where, slice);
  float4 texel = encode(value);
  switch (level - 1u) {
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
}
void onepass_touch_level(uint level) {}
ONEPASS_ELEMENT onepass_load_intermediate(uint index) { return kept[index]; }
void onepass_store_intermediate(uint index, ONEPASS_ELEMENT value) { kept[index] = value; }
uint onepass_increment(uint counter) {
  uint before;
  onepass_atomic_add_before(counters[counter], 1u, before);
  return before;
}
void onepass_reset(uint counter) { onepass_atomic_store(counters[counter], 0u); }

// Delays about every third workgroup, for tests of workgroups that finish late.
void onepass_delay(uint2 tile) {
  if (DELAY == 0u || (tile.x * 7u + tile.y * 13u) % 3u != 0u) return;
  uint state = tile.x + 1u;
  for (uint i = 0u; i < DELAY; ++i) state = state * 747796405u + 2891336453u;
  if (state == 0u) onepass_atomic_add(counters[0], 0u);
}

#if COMPONENTS == 4
#define ONEPASS_COLUMN_PASSES 2
#define ONEPASS_WINDOW_ROWS 2
#endif
#include "onepass/pyramid.hlsl"

// numthreads() takes no constant_id: the invocations that a smaller workgroup would lack end at once.
[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) {
  if (index < WORKGROUP_SIZE) onepass_pyramid(group, index);
}
