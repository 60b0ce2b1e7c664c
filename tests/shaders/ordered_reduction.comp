// ordered_reduction.comp: a pyramid of ordered_reduction.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#define ONEPASS_KEEP_NAMES
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "ordered_reduction.glsl"

#define ONEPASS_COUNTERS(i) counters[i]
#define ONEPASS_INTERMEDIATE(i) kept[i]
#define LOAD(i) base[i]
#define MADE(i) made[i]
layout(local_size_x = 256) in;
layout(push_constant, std430) uniform Constants { PyramidParams pc; };
layout(binding = 0, std430) readonly buffer Base { uint base[]; };
layout(binding = 1, std430) writeonly buffer Made { ONEPASS_ELEMENT made[]; };
layout(binding = 2, std430) ONEPASS_COHERENT buffer Counters { uint counters[]; };
layout(binding = 3, std430) ONEPASS_COHERENT buffer Kept { ONEPASS_ELEMENT kept[]; };
layout(binding = 4, std430) ONEPASS_COHERENT buffer Mailbox { uint mailbox[]; };

#include "ordered_reduction_body.glsl"
#include "onepass/pyramid.glsl"
void main() { onepass_pyramid(gl_WorkGroupID); }
