// spd_1.comp: a shader around FidelityFX SPD 2.0 as its users write it, with onepass's headers in place of ffx_a.h and
// ffx_spd.h: slices, a rectangle, linear sampler and half precision. REDUCE: 0 mean, 1 min, 2 max.
#version 450
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 256, local_size_y = 1, local_size_z = 1) in;

layout(push_constant) uniform SpdConstants {
  uint mips;
  uint numWorkGroups;
  uvec2 workGroupOffset;
  vec2 invInputSize;
} spdConstants;

layout(set = 0, binding = 0) uniform texture2DArray imgSrc;
layout(set = 0, binding = 1, rgba32f) uniform coherent image2DArray imgDst[12];
layout(set = 0, binding = 2, std430) coherent buffer SpdGlobalAtomicBuffer { uint counter[]; } spdGlobalAtomic;
layout(set = 0, binding = 3) uniform sampler srcSampler;

#define A_GPU
#define A_GLSL
#include "onepass/spd_types.glsl"

shared AU1 spdCounter;

void SpdIncreaseAtomicCounter(AU1 slice) { spdCounter = atomicAdd(spdGlobalAtomic.counter[slice], 1); }
AU1 SpdGetAtomicCounter() { return spdCounter; }
void SpdResetAtomicCounter(AU1 slice) { spdGlobalAtomic.counter[slice] = 0; }

AF4 loadSource(ASU2 p, AU1 slice) {
#ifdef SPD_LINEAR_SAMPLER
  AF2 textureCoord = AF2(p) * spdConstants.invInputSize + spdConstants.invInputSize;
  return textureLod(sampler2DArray(imgSrc, srcSampler), vec3(textureCoord, slice), 0.0);
#else
  p = min(p, textureSize(sampler2DArray(imgSrc, srcSampler), 0).xy - 1);
  return texelFetch(sampler2DArray(imgSrc, srcSampler), ivec3(p, slice), 0);
#endif
}

// Constant indices, as devices without dynamic indexing of storage images need them. imgDst has twelve elements, of
// which spare ones repeat the last mip.
#define STORE(n)                                                                                  \
  case n:                                                                                         \
    if (all(lessThan(p, imageSize(imgDst[n]).xy))) imageStore(imgDst[n], ivec3(p, slice), value); \
    break;
void storeMip(ASU2 p, AF4 value, AU1 mip, AU1 slice) {
  switch (mip) {
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
  }
}
AF4 loadMip6(ASU2 p, AU1 slice) { return imageLoad(imgDst[5], ivec3(min(p, imageSize(imgDst[5]).xy - 1), slice)); }

#ifndef SPD_PACKED_ONLY
shared AF4 spdIntermediate[16][16];
AF4 SpdLoadSourceImage(ASU2 p, AU1 slice) { return loadSource(p, slice); }
AF4 SpdLoad(ASU2 p, AU1 slice) { return loadMip6(p, slice); }
void SpdStore(ASU2 p, AF4 value, AU1 mip, AU1 slice) { storeMip(p, value, mip, slice); }
AF4 SpdLoadIntermediate(AU1 x, AU1 y) { return spdIntermediate[x][y]; }
void SpdStoreIntermediate(AU1 x, AU1 y, AF4 value) { spdIntermediate[x][y] = value; }
AF4 SpdReduce4(AF4 v0, AF4 v1, AF4 v2, AF4 v3) {
#if REDUCE == 1
  return min(min(v0, v1), min(v2, v3));
#elif REDUCE == 2
  return max(max(v0, v1), max(v2, v3));
#else
  return (v0 + v1 + v2 + v3) * 0.25;
#endif
}
#endif

#ifdef A_HALF
shared AH2 spdIntermediateRG[16][16];
shared AH2 spdIntermediateBA[16][16];
AH4 SpdLoadSourceImageH(ASU2 p, AU1 slice) { return AH4(loadSource(p, slice)); }
AH4 SpdLoadH(ASU2 p, AU1 slice) { return AH4(loadMip6(p, slice)); }
void SpdStoreH(ASU2 p, AH4 value, AU1 mip, AU1 slice) { storeMip(p, AF4(value), mip, slice); }
AH4 SpdLoadIntermediateH(AU1 x, AU1 y) { return AH4(spdIntermediateRG[x][y], spdIntermediateBA[x][y]); }
void SpdStoreIntermediateH(AU1 x, AU1 y, AH4 value) {
  spdIntermediateRG[x][y] = value.xy;
  spdIntermediateBA[x][y] = value.zw;
}
AH4 SpdReduce4H(AH4 v0, AH4 v1, AH4 v2, AH4 v3) {
#if REDUCE == 1
  return min(min(v0, v1), min(v2, v3));
#elif REDUCE == 2
  return max(max(v0, v1), max(v2, v3));
#else
  return (v0 + v1 + v2 + v3) * AH1(0.25);
#endif
}
#endif

#ifdef SIZED
#define ONEPASS_SPD_SIZE textureSize(sampler2DArray(imgSrc, srcSampler), 0)
#endif
#include "onepass/spd.glsl"

void main() {
#ifdef A_HALF
  SpdDownsampleH(AU2(gl_WorkGroupID.xy), AU1(gl_LocalInvocationIndex), AU1(spdConstants.mips),
                 AU1(spdConstants.numWorkGroups), AU1(gl_WorkGroupID.z), AU2(spdConstants.workGroupOffset));
#else
  SpdDownsample(AU2(gl_WorkGroupID.xy), AU1(gl_LocalInvocationIndex), AU1(spdConstants.mips),
                AU1(spdConstants.numWorkGroups), AU1(gl_WorkGroupID.z), AU2(spdConstants.workGroupOffset));
#endif
}
