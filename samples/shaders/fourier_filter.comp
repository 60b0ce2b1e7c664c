// fourier_filter.comp: multiplies the spectrum of a real image by a filter's gains. docs/shaders/fourier_filter.md
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude_types.glsl"
#include "onepass/fourier_filter_params.h"

layout(local_size_x = 64) in;
layout(push_constant, std430) uniform Constants { uvec2 size; };                            // of the image
layout(binding = 0, std430) readonly buffer Params { FourierFilterParams filter_params; };  // make_filter_params()
layout(binding = 1, std430) buffer Spectrum { vec2 values[]; };  // size.x / 2 + 1 frequencies per row, size.y rows

#define ONEPASS_FILTER_PARAMS filter_params
#include "onepass/fourier_filter.glsl"

void main() {
  uint index = gl_WorkGroupID.x * 64u + gl_LocalInvocationIndex;
  uint width = size.x / 2u + 1u;
  if (index >= width * size.y) return;
  float fx = float(index % width) / float(size.x);  // cycles per texel
  float fy = float(index / width) / float(size.y);
  values[index] *= onepass_filter_gain(fx, fy > 0.5 ? fy - 1.0 : fy);
}
