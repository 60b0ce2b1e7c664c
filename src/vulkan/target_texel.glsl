// target_texel.glsl: conversion of a texel before a kernel stores it.
//
// The kernel defines two constants before it includes this file: TARGET_KIND, one of the KIND_ numbers, and
// TARGET_SRGB, whether colours are encoded here because the image is written through a UNORM view.
//
// TARGET_UNKNOWN_ZERO, for KIND_HALF_PACKED, is an expression that is 0 but that the compiler cannot evaluate. Without
// it the compiler removes a pack that is followed by its unpack. In kernels that do not define it, KIND_HALF_PACKED
// rounds like KIND_HALF.
//
// The hardware's stores round UNORM and fp32 to nearest, but often truncate small floats, so these are rounded here.
#define KIND_FLOAT 0u
#define KIND_UNORM 1u
#define KIND_HALF 2u
#define KIND_B10G11R11 3u
#define KIND_HALF_PACKED 4u  // KIND_HALF on a device whose packHalf2x16 rounds to nearest

#ifdef ONEPASS_CUDA
#define pow power
#endif
float srgb_encode(float light) { return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1.0 / 2.4) - 0.055; }
#ifdef ONEPASS_CUDA
// x^2.4 as x^2 * x^0.4: the error of pow() grows with the exponent.
float srgb_decode(float code) {
  float base = code * (1.0 / 1.055) + 0.055 / 1.055;
  return code <= 0.04045 ? code * (1.0 / 12.92) : base * base * pow(base, 0.4);
}
#undef pow
#endif

// Rounds to nearest, ties to even, keeping 23 - dropped mantissa bits. Below 2^-14, where small floats are denormal, it
// rounds to a multiple of the smallest denormal: `magic` is 1.5 * 2^23 times that, and adding it leaves no finer bits.
// Values of 2^16 or more after rounding become `most`, the largest finite value. NaN and Inf do not change.
float round_small(float value, uint dropped, float magic, float most) {
  uint bits = onepass_float_bits(value);
  uint rounded = (bits + ((1u << (dropped - 1u)) - 1u) + ((bits >> dropped) & 1u)) & ~((1u << dropped) - 1u);
  precise float shifted = value + magic;
  precise float denormal = shifted - magic;
  float normal = onepass_bits_float(rounded);
  if (abs(normal) >= 65536.0) normal = value < 0.0 ? -most : most;
  if ((bits & 0x7F800000u) == 0x7F800000u) normal = value;
  return abs(value) < 1.0 / 16384.0 ? denormal : normal;
}

#ifdef ONEPASS_CUDA
float4 round_to_target(float4 texel) { return texel; }  // the conversion to the target's bits rounds
#else
float4 round_to_target(float4 texel) {
#ifdef TARGET_UNKNOWN_ZERO
  if (TARGET_KIND == KIND_HALF_PACKED) {
    const float infinity = onepass_bits_float(0x7F800000u);
    texel = mix(texel, clamp(texel, -65504.0, 65504.0), lessThan(abs(texel), float4(infinity)));  // Inf and NaN stay
    return float4(unpackHalf2x16(packHalf2x16(texel.rg) ^ TARGET_UNKNOWN_ZERO),
                  unpackHalf2x16(packHalf2x16(texel.ba) ^ TARGET_UNKNOWN_ZERO));
  }
#endif
  if (TARGET_KIND == KIND_HALF || TARGET_KIND == KIND_HALF_PACKED) {
    // No helper function: with one more call, NVIDIA's compiler produces pyramids that are 2 to 5 % slower.
    return float4(round_small(texel.r, 13u, 0.75, 65504.0), round_small(texel.g, 13u, 0.75, 65504.0),
                  round_small(texel.b, 13u, 0.75, 65504.0), round_small(texel.a, 13u, 0.75, 65504.0));
  }
  if (TARGET_KIND == KIND_B10G11R11) {
    return float4(round_small(texel.r, 17u, 12.0, 65024.0), round_small(texel.g, 17u, 12.0, 65024.0),
                  round_small(texel.b, 18u, 24.0, 64512.0), 1.0);
  }
  return texel;
}
#endif

// Encodes the colours of a variable if the target stores sRGB. A macro, because a call of encode_target() makes the
// kernels of pyramids up to 15 % slower on an H200.
#define ENCODE_COLOURS(texel)                                                             \
  if (TARGET_SRGB) {                                                                      \
    texel.rgb = clamp(texel.rgb, 0.0, 1.0);                                               \
    texel.rgb = float3(srgb_encode(texel.r), srgb_encode(texel.g), srgb_encode(texel.b)); \
  }

float4 encode_target(float4 texel) {
  ENCODE_COLOURS(texel)
  return round_to_target(texel);
}
