// luminance.comp: meters an image's luminance and computes its exposure in one dispatch. docs/shaders/luminance.md
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/luminance_params.h"

layout(local_size_x = ONEPASS_LUMINANCE_GROUP) in;
layout(push_constant, std430) uniform Constants { LuminanceParams pc; };  // OnepassLuminanceSetup::constants
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, std430) ONEPASS_COHERENT buffer Scratch { uint onepass_words[]; };  // OnepassLuminanceSetup::words
layout(binding = 2, std430) buffer Results { LuminanceResult onepass_results[]; };

#define BINS 2048u
#define COPIES 2u  // 19 KB of shared memory
#define METERING ONEPASS_LUMINANCE_AVERAGE
#define STATISTIC 0u  // the exposure comes from the log-average

vec3 onepass_load_colour(uvec2 texel, uint slice) { return texelFetch(source, ivec2(texel), 0).rgb; }
uint onepass_load_weight(uvec2 texel) { return 0u; }  // for ONEPASS_LUMINANCE_MASK

#include "onepass/luminance_meter.glsl"
void main() { onepass_meter(gl_WorkGroupID); }
