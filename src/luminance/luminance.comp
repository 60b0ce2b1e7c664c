// luminance.comp: the meter's kernel: luminance statistics and exposure of every slice. It has the bindings,
// specialization constants and texel loads; the algorithm is in shaders/onepass/luminance_meter.glsl, the variants are
// in src/luminance/kernels.cmake.
#version 460
#extension GL_GOOGLE_include_directive : require
#if ONEPASS_MEMORY_MODEL
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#endif
#include "onepass/prelude.glsl"
#include "onepass/luminance_params.h"

layout(local_size_x = ONEPASS_LUMINANCE_GROUP) in;

layout(constant_id = 0) const uint BINS = ONEPASS_LUMINANCE_FINE_BINS;
layout(constant_id = 1) const uint COPIES = 2u;
layout(constant_id = 2) const uint METERING = 0u;
layout(constant_id = 3) const uint STATISTIC = 0u;
layout(constant_id = 4) const bool GREY = false;

layout(push_constant, std430) uniform Constants { LuminanceParams pc; };
layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) uniform sampler2DArray mask;
layout(binding = 2, std430) ONEPASS_COHERENT buffer Scratch { uint onepass_words[]; };
layout(binding = 3, std430) buffer Results { LuminanceResult onepass_results[]; };

float3 onepass_load_colour(uint2 texel, uint slice) {
  float4 value = texelFetch(source, int3(texel, slice), 0);
  return GREY ? value.rrr : value.rgb;
}

uint onepass_load_weight(uint2 texel) {
  float value = texelFetch(mask, int3(texel, 0), 0).r;
  return value > 0.0 ? uint(min(value, 1.0) * 255.0 + 0.5) : 0u;
}

#include "onepass/luminance_meter.glsl"
void main() { onepass_meter(gl_WorkGroupID); }
