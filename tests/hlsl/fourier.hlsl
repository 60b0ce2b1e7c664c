// fourier.hlsl: src/fourier/fourier.comp in HLSL, for workgroups of 128.
#define ONEPASS_HLSL 1
#define ONEPASS_SUBGROUP 1
#define main run
#include "fourier/fourier_shared.glsl"
#undef main

[numthreads(128, 1, 1)]
void main(uint3 id : SV_GroupID, uint index : SV_GroupIndex) {
  group_id = id;
  onepass_group_index = index;
  run();
}
