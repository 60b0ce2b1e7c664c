// fourier_ping_pong.comp: the ends of a stage in the simple multi-dispatch version of fourier.comp, with the same
// macros, sources and targets, for lines of any length. The first dispatch of a stage copies the values of all lines
// from the source to a buffer, the last one from a buffer to the target; fourier_ping_pong_pass.comp, between them,
// transforms. An invocation owns one value of a line.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "fourier/fourier_ping_pong.glsl"
