// fourier.comp: one stage of a transform, all rows or all columns, in one dispatch: workgroups load, transform and
// store whole lines. src/fourier/kernels.cmake lists the variants.
//
// Macros: STAGE, ONEPASS_FOURIER_SIGNALS, OVER_SOURCE, and BLUESTEIN for lengths with prime factors other than 2, 3, 5
// and 7: a transform of length AXIS as a convolution with exp(pi i n n / AXIS), computed by transforms of length LENGTH
// >= 2 AXIS - 1 (L. Bluestein, "A Linear Filtering Approach to the Computation of Discrete Fourier Transform", 1970).
//
// A workgroup owns LINES lines; invocation i is number `lane` = i / LINES of line i % LINES, so that neighbours in a
// subgroup work on neighbouring lines, whose values are adjacent where memory interleaves lines.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define ONEPASS_SUBGROUP 1
#include "fourier/fourier_shared.glsl"
