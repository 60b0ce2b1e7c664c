// pyramid_codec.glsl: decodes texels of the source and encodes texels of the levels of pyramids, in the common subset
// of GLSL and HLSL.
//
// The kernel defines COMPONENTS and ONEPASS_ELEMENT, includes vulkan/target_texel.glsl, and has the constants
// TEXEL_MODE, SOURCE_CHANNELS, TARGET_CHANNELS, SOURCE_UNORM and ALPHA_UNIT.
#define MODE_PLAIN 0u
#define MODE_WEIGHTED_ALPHA 1u
#define MODE_NORMAL_MAP 2u
#define MODE_COVERAGE 3u

// Weighted alpha and coverage: the weight of a transparent texel, so that colour survives where all texels are
// transparent.
#define LEAST_ALPHA 9.094947017729282e-13  // 2^-40

ONEPASS_ELEMENT decode(float4 texel) {
#if COMPONENTS == 1
  return texel.r;
#elif COMPONENTS == 2 && defined(ONEPASS_CUDA)
  return texel.rg;  // load_source() has repeated a single channel
#elif COMPONENTS == 2
  return SOURCE_CHANNELS == 1u ? texel.rr : texel.rg;
#else
  if (TEXEL_MODE == MODE_WEIGHTED_ALPHA) {
    float weight = max(texel.a, 0.0) + LEAST_ALPHA;
    return float4(texel.rgb * weight, weight);
  }
  if (TEXEL_MODE == MODE_COVERAGE) {
    // In units of the source's quantised values, in which sums are exact however a device decodes them.
    float alpha = texel.a > 0.0 ? min(texel.a, 1.0) : 0.0;
    if (ALPHA_UNIT != 1.0) alpha = floor(alpha * ALPHA_UNIT + 0.5);
    float weight = alpha + LEAST_ALPHA;
    return float4(texel.rgb * weight, weight);
  }
  if (TEXEL_MODE == MODE_NORMAL_MAP) {
    if (SOURCE_UNORM) texel.rgb = texel.rgb * 2.0 - 1.0;
    if (SOURCE_CHANNELS == 2u) texel.b = sqrt(max(0.0, 1.0 - dot(texel.rg, texel.rg)));
  }
  return texel;
#endif
}

float4 encode(ONEPASS_ELEMENT element) {
#if COMPONENTS == 1
  float4 texel = float4(element, 0.0, 0.0, 1.0);
#elif COMPONENTS == 2
  float4 texel = float4(element, 0.0, 1.0);
#else
  float4 texel = element;
  if (TEXEL_MODE == MODE_WEIGHTED_ALPHA) texel = float4(texel.rgb / texel.a, max(texel.a - LEAST_ALPHA, 0.0));
  if (TEXEL_MODE == MODE_NORMAL_MAP) {
    float size = length(texel.rgb);
    texel.rgb = size > 0.0 ? texel.rgb / size : float3(0.0, 0.0, 1.0);
    if (TARGET_KIND == KIND_UNORM) texel.rgb = texel.rgb * 0.5 + 0.5;
    if (TARGET_CHANNELS == 2u) texel.ba = float2(0.0, 1.0);
  }
#endif
  ENCODE_COLOURS(texel)
  return round_to_target(texel);
}
