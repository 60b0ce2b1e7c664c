// fourier_ping_pong_pass.comp: one Stockham butterfly pass of all lines, from one buffer to another. An invocation owns
// one butterfly of RADIX values.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "fourier/fourier_ping_pong_pass.glsl"
