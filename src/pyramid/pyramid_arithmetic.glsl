// pyramid_arithmetic.glsl: reduces texels, in the common subset of GLSL and HLSL. Part of pyramid_texel.glsl, which has
// the bindings and constants.
//
// Needs load_source(texel, slice), and gather_red(at) and sample_source(at) where the source has them
// (src/vulkan/source_image.glsl).

#include "pyramid/pyramid_codec.glsl"

ONEPASS_ELEMENT onepass_reduce2(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, float2 weight) {
  if (REDUCTION == ONEPASS_MEAN) return a * weight.x + b * weight.y;
  if (REDUCTION == ONEPASS_MIN) return min(a, b);
  if (REDUCTION == ONEPASS_MAX) return max(a, b);
#if COMPONENTS == 2
  return ONEPASS_ELEMENT(min(a.x, b.x), max(a.y, b.y));
#else
  return a;
#endif
}

ONEPASS_ELEMENT onepass_reduce3(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b, ONEPASS_ELEMENT c, float3 weight) {
  if (REDUCTION == ONEPASS_MEAN) return a * weight.x + b * weight.y + c * weight.z;
  return onepass_reduce2(onepass_reduce2(a, b, weight.xy), c, weight.yz);
}

ONEPASS_ELEMENT onepass_load_base(uint2 texel, uint slice) { return decode(load_source(texel, slice)); }

// 2x2 texels. A single gather reads them where the source has one channel and can be gathered.
void onepass_load_base_block(uint2 texel, uint slice, ONEPASS_OUT(ONEPASS_ELEMENT) a, ONEPASS_OUT(ONEPASS_ELEMENT) b,
                             ONEPASS_OUT(ONEPASS_ELEMENT) c, ONEPASS_OUT(ONEPASS_ELEMENT) d) {
#ifdef gather_red
  if (SOURCE_CHANNELS == 1u) {
    float4 four = gather_red(float3(float2(texel + 1u) / float2(pc.size), slice));  // at their common corner
    a = decode(float4(four.w, 0.0, 0.0, 1.0));
    b = decode(float4(four.z, 0.0, 0.0, 1.0));
    c = decode(float4(four.x, 0.0, 0.0, 1.0));
    d = decode(float4(four.y, 0.0, 0.0, 1.0));
  } else
#endif
  {
    uint2 end = pc.size - 1u;
    uint2 from = min(texel, end);
    uint2 to = min(texel + 1u, end);
    a = onepass_load_base(from, slice);
    b = onepass_load_base(uint2(to.x, from.y), slice);
    c = onepass_load_base(uint2(from.x, to.y), slice);
    d = onepass_load_base(to, slice);
  }
}

// The reduction of 2x2 texels. A linear sample at their common corner is their mean.
ONEPASS_ELEMENT onepass_load_base_quad(uint2 texel, uint slice) {
#ifdef sample_source
  if (LINEAR_SAMPLER) {
    // Shifted to the right and down where filter weights have 8 bits: at a coordinate rounded to the left of the corner
    // or above it, a filter that truncates would use the weight 127/256.
    float2 at = (float2(2u * texel + 1u) + SAMPLE_SHIFT) / float2(pc.size);
    return decode(sample_source(float3(at, slice)));
  }
#endif
  const float2 half_each = float2(0.5, 0.5);
  ONEPASS_ELEMENT a, b, c, d;
  onepass_load_base_block(2u * texel, slice, a, b, c, d);
  return onepass_reduce2(onepass_reduce2(a, b, half_each), onepass_reduce2(c, d, half_each), half_each);
}
