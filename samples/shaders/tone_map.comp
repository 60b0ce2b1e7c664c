// tone_map.comp: tone maps an image with the exposure in a meter's result buffer. docs/shaders/tone_map.md
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/luminance.glsl"
#include "onepass/tone_map_params.h"

layout(local_size_x = 256) in;
layout(push_constant, std430) uniform Constants { uvec2 size; };
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) uniform writeonly image2D target;
layout(binding = 2, std140) uniform Program { ToneMapProgram program; };  // ToneMapShader::program
layout(binding = 3, std430) readonly buffer Cubics { vec4 cubics[]; };    // ToneMapShader::cubics
layout(binding = 4, std430) readonly buffer Metered { LuminanceResult metered[]; };

// ToneMapShader::definitions of an operator with one curve (ToneOperator::kHable).
#define ONEPASS_TONE_MIX 0
#define ONEPASS_TONE_MATRIX_MASK 0u
#define ONEPASS_TONE_CURVE_MASK 1u
#define ONEPASS_TONE_ROOT_MASK 0u
#define ONEPASS_TONE_FOOT_MASK 0u
#define ONEPASS_TONE_SHIFTS 21u
#define ONEPASS_TONE_CURVE_COUNT 1u
#define ONEPASS_TONE_FINE false
#define ONEPASS_TONE_KEEPS_HUE false
#define ONEPASS_TONE_GUARD_RAIL false
#define ONEPASS_TONE_PROGRAM program
#define ONEPASS_TONE_CUBICS(i) cubics[i]
#include "onepass/tone_map.glsl"

void main() {  // 16x16 texels per workgroup
  onepass_tone_load(gl_LocalInvocationIndex, 256u);
  onepass_group_barrier();  // until the curves are in shared memory
  uvec2 at = gl_WorkGroupID.xy * 16u + uvec2(gl_LocalInvocationIndex & 15u, gl_LocalInvocationIndex >> 4u);
  if (at.x >= size.x || at.y >= size.y) return;
  vec4 texel = texelFetch(source, ivec2(at), 0);
  imageStore(target, ivec2(at), onepass_tone_map(texel, onepass_exposure(metered[0])));
}
