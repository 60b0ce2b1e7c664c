// spd_2.comp: spd_1.comp in the words of the FidelityFX SDK, with onepass's headers in place of ffx_core.h and
// ffx_spd.h, and workgroups of 16x16 invocations.
#version 450
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 16, local_size_y = 16, local_size_z = 1) in;

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

#define FFX_GPU
#define FFX_GLSL
#include "onepass/spd_types.glsl"

FFX_GROUPSHARED FfxUInt32 spdCounter;

void SpdIncreaseAtomicCounter(FfxUInt32 slice) { spdCounter = atomicAdd(spdGlobalAtomic.counter[slice], 1); }
FfxUInt32 SpdGetAtomicCounter() { return spdCounter; }
void SpdResetAtomicCounter(FfxUInt32 slice) { spdGlobalAtomic.counter[slice] = 0; }

FfxFloat32x4 loadSource(FfxInt32x2 p, FfxUInt32 slice) {
#ifdef SPD_LINEAR_SAMPLER
  FfxFloat32x2 textureCoord = FfxFloat32x2(p) * spdConstants.invInputSize + spdConstants.invInputSize;
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
void storeMip(FfxInt32x2 p, FfxFloat32x4 value, FfxUInt32 mip, FfxUInt32 slice) {
  switch (mip) {
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
  }
}
FfxFloat32x4 loadMip6(FfxInt32x2 p, FfxUInt32 slice) {
  return imageLoad(imgDst[5], ivec3(min(p, imageSize(imgDst[5]).xy - 1), slice));
}

#ifndef FFX_SPD_PACKED_ONLY
FFX_GROUPSHARED FfxFloat32x4 spdIntermediate[16][16];
FfxFloat32x4 SpdLoadSourceImage(FfxInt32x2 p, FfxUInt32 slice) { return loadSource(p, slice); }
FfxFloat32x4 SpdLoad(FfxInt32x2 p, FfxUInt32 slice) { return loadMip6(p, slice); }
void SpdStore(FfxInt32x2 p, FfxFloat32x4 value, FfxUInt32 mip, FfxUInt32 slice) { storeMip(p, value, mip, slice); }
FfxFloat32x4 SpdLoadIntermediate(FfxUInt32 x, FfxUInt32 y) { return spdIntermediate[x][y]; }
void SpdStoreIntermediate(FfxUInt32 x, FfxUInt32 y, FfxFloat32x4 value) { spdIntermediate[x][y] = value; }
FfxFloat32x4 SpdReduce4(FfxFloat32x4 v0, FfxFloat32x4 v1, FfxFloat32x4 v2, FfxFloat32x4 v3) {
#if REDUCE == 1
  return min(min(v0, v1), min(v2, v3));
#elif REDUCE == 2
  return max(max(v0, v1), max(v2, v3));
#else
  return (v0 + v1 + v2 + v3) * 0.25;
#endif
}
#endif

#if FFX_HALF
FFX_GROUPSHARED FfxFloat16x2 spdIntermediateRG[16][16];
FFX_GROUPSHARED FfxFloat16x2 spdIntermediateBA[16][16];
FfxFloat16x4 SpdLoadSourceImageH(FfxInt32x2 p, FfxUInt32 slice) { return FfxFloat16x4(loadSource(p, slice)); }
FfxFloat16x4 SpdLoadH(FfxInt32x2 p, FfxUInt32 slice) { return FfxFloat16x4(loadMip6(p, slice)); }
void SpdStoreH(FfxInt32x2 p, FfxFloat16x4 value, FfxUInt32 mip, FfxUInt32 slice) {
  storeMip(p, FfxFloat32x4(value), mip, slice);
}
FfxFloat16x4 SpdLoadIntermediateH(FfxUInt32 x, FfxUInt32 y) {
  return FfxFloat16x4(spdIntermediateRG[x][y], spdIntermediateBA[x][y]);
}
void SpdStoreIntermediateH(FfxUInt32 x, FfxUInt32 y, FfxFloat16x4 value) {
  spdIntermediateRG[x][y] = value.xy;
  spdIntermediateBA[x][y] = value.zw;
}
FfxFloat16x4 SpdReduce4H(FfxFloat16x4 v0, FfxFloat16x4 v1, FfxFloat16x4 v2, FfxFloat16x4 v3) {
#if REDUCE == 1
  return min(min(v0, v1), min(v2, v3));
#elif REDUCE == 2
  return max(max(v0, v1), max(v2, v3));
#else
  return (v0 + v1 + v2 + v3) * FfxFloat16(0.25);
#endif
}
#endif

#ifdef SIZED
#define ONEPASS_SPD_SIZE textureSize(sampler2DArray(imgSrc, srcSampler), 0)
#endif
#include "onepass/spd.glsl"

void main() {
#if FFX_HALF
  SpdDownsampleH(FfxUInt32x2(gl_WorkGroupID.xy), FfxUInt32(gl_LocalInvocationIndex), FfxUInt32(spdConstants.mips),
                 FfxUInt32(spdConstants.numWorkGroups), FfxUInt32(gl_WorkGroupID.z),
                 FfxUInt32x2(spdConstants.workGroupOffset));
#else
  SpdDownsample(FfxUInt32x2(gl_WorkGroupID.xy), FfxUInt32(gl_LocalInvocationIndex), FfxUInt32(spdConstants.mips),
                FfxUInt32(spdConstants.numWorkGroups), FfxUInt32(gl_WorkGroupID.z),
                FfxUInt32x2(spdConstants.workGroupOffset));
#endif
}
