// source_image.glsl: the image that a kernel reads, at binding 0.
//
// load_source(texel, slice) is a texel in four channels. Sampled images of one sample also have gather_red(at),
// gather_green(at) and sample_source(at). Kernels load texels one by one where these are not defined.
//
// The kernel defines MULTISAMPLE and STORAGE_SOURCE, 0 or 1, and before it includes this file for MULTISAMPLE also
// REDUCTION and SAMPLES: the minimum or the maximum of a texel's samples is in the first channel; for min_max the
// minimum is in the first and the maximum in the second.
#if MULTISAMPLE
layout(binding = 0) uniform sampler2DMSArray source;

float4 load_source(uint2 texel, uint slice) {
  float least = texelFetch(source, int3(texel, slice), 0).r;
  float most = least;
  for (uint i = 1u; i < SAMPLES; ++i) {
    float value = texelFetch(source, int3(texel, slice), int(i)).r;
    least = min(least, value);
    most = max(most, value);
  }
  return float4(REDUCTION == ONEPASS_MAX ? most : least, most, 0.0, 1.0);
}
#elif STORAGE_SOURCE
layout(binding = 0) uniform readonly image2DArray source;
#define load_source(texel, slice) imageLoad(source, int3(texel, slice))
#else
layout(binding = 0) uniform sampler2DArray source;
#define load_source(texel, slice) texelFetch(source, int3(texel, slice), 0)
#define gather_red(at) textureGather(source, at, 0)
#define gather_green(at) textureGather(source, at, 1)
#define sample_source(at) textureLod(source, at, 0.0)
#endif
