// fourier_ping_pong_pass.hlsl: src/fourier/fourier_ping_pong_pass.comp in HLSL.
#define ONEPASS_HLSL 1
#define main run
#include "fourier/fourier_ping_pong_pass.glsl"
#undef main

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  invocation_id = id;
  run();
}
