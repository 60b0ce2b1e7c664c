// fourier_four_step.hlsl: src/fourier/fourier_four_step.comp in HLSL, for workgroups of 128.
#define ONEPASS_HLSL 1
#define main run
#include "fourier/fourier_four_step.glsl"
#undef main

[numthreads(128, 1, 1)]
void main(uint3 id : SV_GroupID, uint index : SV_GroupIndex) {
  group_id = id;
  onepass_group_index = index;
  run();
}
