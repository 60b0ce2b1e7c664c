// fourier_ping_pong.hlsl: src/fourier/fourier_ping_pong.comp in HLSL.
#define ONEPASS_HLSL 1
#define main run
#include "fourier/fourier_ping_pong.glsl"
#undef main

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  invocation_id = id;
  run();
}
