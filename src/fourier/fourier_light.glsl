// fourier_light.glsl: the bright pass and the composite of bloom; onepass/bloom.hpp has the formulas.
//
// The file that includes this one defines LIGHT_PARAMS, a struct with threshold, knee and scatter, and LIGHT_CHANNELS,
// the channels of the source.

// NaN counts as 0, Inf as the largest half float: one such texel would leave nothing but NaN in a transform.
float usable_light(float value) {
  uint bits = onepass_float_bits(value);
  uint magnitude = bits & 0x7FFFFFFFu;
  float most = bits == magnitude ? 65504.0 : -65504.0;
  most = magnitude == 0x7F800000u ? most : 0.0;
  return magnitude < 0x7F800000u ? value : most;
}

float4 usable_light(float4 texel) {
  return float4(usable_light(texel.r), usable_light(texel.g), usable_light(texel.b), texel.a);
}

// The share of a usable texel's light that exceeds the threshold. Without branches: a transform's first pass calls this
// between reads of the source, which then do not wait for each other.
float bright_share(float4 texel) {
  float most = texel.r;
  if (LIGHT_CHANNELS > 1u) most = max(most, texel.g);
  if (LIGHT_CHANNELS > 2u) most = max(most, texel.b);
  float knee = LIGHT_PARAMS.knee;
  float over = most - LIGHT_PARAMS.threshold;
  float soft = clamp(over + knee, 0.0, 2.0 * knee);
  float curved = soft * (soft / (4.0 * knee));
  curved = knee > 0.0 ? curved : 0.0;
  float share = clamp(max(curved, over) / most, 0.0, 1.0);
  share = most > 0.0 ? share : 0.0;
  return LIGHT_PARAMS.threshold == 0.0 ? 1.0 : share;
}

float4 bright_light(float4 texel) {
  texel = usable_light(texel);
  return texel * bright_share(texel);
}

// A texel of the source and the glow there: the texel of the result, without alpha.
float4 with_glow(float4 texel, float4 glow) {
  texel = usable_light(texel);
  return texel + LIGHT_PARAMS.scatter * (glow - bright_share(texel) * texel);
}
