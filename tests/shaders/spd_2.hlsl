// spd_2.hlsl: spd_2.comp in HLSL.
struct SpdConstants {
  uint mips;
  uint numWorkGroups;
  uint2 workGroupOffset;
  float2 invInputSize;
};
[[vk::push_constant]] ConstantBuffer<SpdConstants> spdConstants;
[[vk::binding(0)]] Texture2DArray<float4> imgSrc;
[[vk::binding(1)]] [[spv::format_rgba32f]] globallycoherent RWTexture2DArray<float4> imgDst[12];
[[vk::binding(2)]] globallycoherent RWStructuredBuffer<uint> spdGlobalAtomic;
[[vk::binding(3)]] SamplerState srcSampler;

#define FFX_GPU
#define FFX_HLSL
#include "onepass/spd_types.hlsl"

FFX_GROUPSHARED FfxUInt32 spdCounter;

void SpdIncreaseAtomicCounter(FfxUInt32 slice) { InterlockedAdd(spdGlobalAtomic[slice], 1, spdCounter); }
FfxUInt32 SpdGetAtomicCounter() { return spdCounter; }
void SpdResetAtomicCounter(FfxUInt32 slice) { spdGlobalAtomic[slice] = 0; }

FfxInt32x2 sourceSize() {
  uint width, height, slices;
  imgSrc.GetDimensions(width, height, slices);
  return FfxInt32x2(width, height);
}
FfxInt32x2 mipSize(FfxUInt32 mip) { return max(sourceSize() >> FfxInt32x2(mip + 1, mip + 1), FfxInt32x2(1, 1)); }

FfxFloat32x4 loadSource(FfxInt32x2 p, FfxUInt32 slice) {
#ifdef SPD_LINEAR_SAMPLER
  FfxFloat32x2 textureCoord = p * spdConstants.invInputSize + spdConstants.invInputSize;
  return imgSrc.SampleLevel(srcSampler, float3(textureCoord, slice), 0);
#else
  return imgSrc.Load(int4(min(p, sourceSize() - 1), slice, 0));
#endif
}
#define STORE(n)                        \
  case n:                               \
    imgDst[n][uint3(p, slice)] = value; \
    break;
void storeMip(FfxInt32x2 p, FfxFloat32x4 value, FfxUInt32 mip, FfxUInt32 slice) {
  if (any(p >= mipSize(mip))) return;
  switch (mip) {
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
  }
}
FfxFloat32x4 loadMip6(FfxInt32x2 p, FfxUInt32 slice) { return imgDst[5][uint3(min(p, mipSize(5) - 1), slice)]; }

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
FFX_GROUPSHARED FfxFloat16x4 spdIntermediateH[16][16];
FfxFloat16x4 SpdLoadSourceImageH(FfxInt32x2 p, FfxUInt32 slice) { return FfxFloat16x4(loadSource(p, slice)); }
FfxFloat16x4 SpdLoadH(FfxInt32x2 p, FfxUInt32 slice) { return FfxFloat16x4(loadMip6(p, slice)); }
void SpdStoreH(FfxInt32x2 p, FfxFloat16x4 value, FfxUInt32 mip, FfxUInt32 slice) {
  storeMip(p, FfxFloat32x4(value), mip, slice);
}
FfxFloat16x4 SpdLoadIntermediateH(FfxUInt32 x, FfxUInt32 y) { return spdIntermediateH[x][y]; }
void SpdStoreIntermediateH(FfxUInt32 x, FfxUInt32 y, FfxFloat16x4 value) { spdIntermediateH[x][y] = value; }
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
#define ONEPASS_SPD_SIZE sourceSize()
#endif
#include "onepass/spd.hlsl"

[numthreads(16, 16, 1)]
void main(uint3 WorkGroupId : SV_GroupID, uint LocalThreadIndex : SV_GroupIndex) {
#if FFX_HALF
  SpdDownsampleH(FfxUInt32x2(WorkGroupId.xy), FfxUInt32(LocalThreadIndex), FfxUInt32(spdConstants.mips),
                 FfxUInt32(spdConstants.numWorkGroups), FfxUInt32(WorkGroupId.z),
                 FfxUInt32x2(spdConstants.workGroupOffset));
#else
  SpdDownsample(FfxUInt32x2(WorkGroupId.xy), FfxUInt32(LocalThreadIndex), FfxUInt32(spdConstants.mips),
                FfxUInt32(spdConstants.numWorkGroups), FfxUInt32(WorkGroupId.z),
                FfxUInt32x2(spdConstants.workGroupOffset));
#endif
}
