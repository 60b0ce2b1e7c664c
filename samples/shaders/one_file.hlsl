// one_file.hlsl: the depth pyramid of pyramid.hlsl, around onepass_pyramid.hlsl alone. docs/shaders/one_file.md
#define ONEPASS_DECLARATIONS
#include "onepass_pyramid.hlsl"  // part 1: PyramidParams, ONEPASS_COHERENT

[[vk::push_constant]] cbuffer Constants { PyramidParams pc; };  // OnepassPyramidSetup::constants
[[vk::binding(0)]] Texture2D<float4> source;
// levels[n - 1] is level n. 12 elements suffice for bases below 8192; spare elements repeat the last level.
[[vk::binding(1)]] RWTexture2D<float4> levels[12];
[[vk::binding(2)]] ONEPASS_COHERENT RWStructuredBuffer<uint> counters;
[[vk::binding(3)]] ONEPASS_COHERENT RWStructuredBuffer<float> kept;

#define ONEPASS_ELEMENT float
#define ONEPASS_FOOTPRINT ONEPASS_COVERING
#define ONEPASS_REDUCTION ONEPASS_MAX
#define ONEPASS_PARAMS pc
#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]

float onepass_load_base(uint2 texel, uint slice) { return source.Load(int3(texel, 0)).r; }

#define STORE(n)                                     \
  case n:                                            \
    levels[n][texel] = float4(value, 0.0, 0.0, 1.0); \
    break;
void onepass_store_level(uint level, uint2 texel, uint slice, float value) {
  switch (level - 1u) {
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
  }
}

#include "onepass_pyramid.hlsl"  // part 2: onepass_pyramid()

[numthreads(256, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) { onepass_pyramid(group, index); }
