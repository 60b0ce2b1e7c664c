// fourier_four_step.comp: half of a four-step transform in one dispatch, from one buffer to another: for lines longer
// than shared memory. The same macros, sources and targets as fourier.comp.
//
// A line of LENGTH = R1 R2 values is a table. Its columns of R1 values are transformed and multiplied by twiddle
// factors, then its rows of R2 values are transformed (D. Bailey, "FFTs in External or Hierarchical Memory", 1990): as
// ping-pong with two passes of RADIX = R1 and R2, whose butterflies are transforms by workgroups. A workgroup owns
// LINES adjacent butterflies; invocation i is number `lane` = i / LINES of butterfly i % LINES. Bluestein's convolution
// is the columns, then the rows with the columns of the inverse, then the rows of the inverse.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "fourier/fourier_four_step.glsl"
