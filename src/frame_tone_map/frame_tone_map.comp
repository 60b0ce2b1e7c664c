// frame_tone_map.comp: the kernel that meters and maps a frame in one dispatch. It has bindings, specialization
// constants, texel loads and stores; the algorithm is in shaders/onepass/frame_tone_map.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/luminance_params.h"
#include "onepass/frame_tone_map_params.h"

layout(local_size_x = ONEPASS_LUMINANCE_GROUP) in;

layout(constant_id = 0) const uint BINS = ONEPASS_LUMINANCE_FINE_BINS;
layout(constant_id = 1) const uint COPIES = 2u;
layout(constant_id = 2) const uint METERING = 0u;
layout(constant_id = 3) const uint STATISTIC = 0u;
layout(constant_id = 4) const uint MIX = 0u;
layout(constant_id = 5) const uint MATRIX_MASK = 0u;
layout(constant_id = 6) const uint CURVE_MASK = 0u;
layout(constant_id = 7) const uint ROOT_MASK = 0u;
layout(constant_id = 8) const uint CURVE_COUNT = 1u;
layout(constant_id = 9) const bool KEEPS_HUE = false;
layout(constant_id = 10) const bool GUARD_RAIL = false;
layout(constant_id = 11) const uint SOURCE_CHANNELS = 4u;
layout(constant_id = 12) const uint TARGET_CHANNELS = 4u;
layout(constant_id = 13) const uint TARGET_KIND = 0u;
layout(constant_id = 14) const bool DITHER = false;
layout(constant_id = 15) const bool FINE = false;
layout(constant_id = 16) const uint FOOT_MASK = 0u;
layout(constant_id = 17) const uint SHIFTS = 0u;
layout(constant_id = 18) const uint OOTF_STAGE = 4u;

const bool TARGET_SRGB = false;  // curves include the transfer
#include "vulkan/target_texel.glsl"

layout(push_constant, std430) uniform Constants { LuminanceParams pc; };
layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) uniform sampler2DArray mask;
layout(binding = 2, std430) ONEPASS_COHERENT buffer Scratch { uint onepass_words[]; };
layout(binding = 3, std430) buffer Results { LuminanceResult onepass_results[]; };
layout(binding = 4) uniform writeonly image2DArray target;
layout(binding = 5, std140) uniform Program { FrameProgram frame; };
layout(binding = 6, std430) readonly buffer Cubics { float4 cubics[]; };

#define ONEPASS_TONE_PROGRAM frame.program
#define ONEPASS_TONE_CUBICS(i) cubics[i]
#define ONEPASS_TONE_MIX MIX
#define ONEPASS_TONE_MATRIX_MASK MATRIX_MASK
#define ONEPASS_TONE_CURVE_MASK CURVE_MASK
#define ONEPASS_TONE_ROOT_MASK ROOT_MASK
#define ONEPASS_TONE_FOOT_MASK FOOT_MASK
#define ONEPASS_TONE_SHIFTS SHIFTS
#define ONEPASS_TONE_CURVE_COUNT CURVE_COUNT
#define ONEPASS_TONE_FINE FINE
#define ONEPASS_TONE_KEEPS_HUE KEEPS_HUE
#define ONEPASS_TONE_GUARD_RAIL GUARD_RAIL
#define ONEPASS_TONE_OOTF_STAGE OOTF_STAGE
#include "onepass/tone_map.glsl"

uint2 onepass_frame_size() { return frame.size; }

float onepass_frame_exposure(uint slice) {
  return frame.exposure * onepass_tone_usable_exposure(onepass_results[slice].exposure);
}

float4 onepass_load_texel(uint2 texel, uint slice) { return texelFetch(source, int3(texel, slice), 0); }

float3 onepass_colour_of(float4 texel) { return SOURCE_CHANNELS < 3u ? texel.rrr : texel.rgb; }

uint onepass_load_weight(uint2 texel) {
  float value = texelFetch(mask, int3(texel, 0), 0).r;
  return value > 0.0 ? uint(min(value, 1.0) * 255.0 + 0.5) : 0u;
}

void onepass_frame_store(uint2 texel, uint slice, float4 loaded, float exposure) {
  float4 rgba = loaded;
  if (SOURCE_CHANNELS == 1u) rgba = float4(loaded.rrr, 1.0);
  if (SOURCE_CHANNELS == 2u) rgba = loaded.rrrg;
  float4 stored = onepass_tone_map(rgba, exposure);
  if (DITHER) stored.rgb = onepass_tone_dither(stored.rgb, texel);
  if (TARGET_KIND == KIND_UNORM) stored = onepass_tone_codes(stored);
  if (TARGET_KIND == KIND_HALF) stored.rgb = min(stored.rgb, float3(65504.0, 65504.0, 65504.0));
  if (TARGET_CHANNELS == 2u) stored.g = stored.a;
  imageStore(target, int3(texel, slice), round_to_target(stored));
}

#include "onepass/luminance_meter.glsl"

void main() {
  onepass_tone_load(gl_LocalInvocationIndex, ONEPASS_LUMINANCE_GROUP);
  onepass_meter(gl_WorkGroupID);  // its first barrier also completes onepass_tone_load()
}
