// fourier_filter_header.comp: is fourier_filter.glsl valid GLSL, with its parameters in a buffer?
#version 450
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude_types.glsl"

#include "onepass/fourier_filter_params.h"

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer Params { FourierFilterParams filter_params; };
layout(std430, set = 0, binding = 1) buffer Gains { float gains[]; };

#define ONEPASS_FILTER_PARAMS filter_params
#include "onepass/fourier_filter.glsl"

void main() {
  uint i = gl_GlobalInvocationID.x;
  gains[i] = onepass_filter_gain(float(i) / 128.0, 0.1);
}
