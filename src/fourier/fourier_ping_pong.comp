// fourier_ping_pong.comp: one Stockham butterfly pass of a stage per dispatch, from one buffer to another. The simple
// multi-dispatch version of fourier.comp, with the same macros, sources and targets, for lines of any length. An
// invocation owns one butterfly of RADIX values.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "fourier/fourier_ping_pong.glsl"
