// spd_1.hlsl: spd_1.comp in HLSL.
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

#define A_GPU
#define A_HLSL
#include "onepass/spd_types.hlsl"

groupshared AU1 spdCounter;

void SpdIncreaseAtomicCounter(AU1 slice) { InterlockedAdd(spdGlobalAtomic[slice], 1, spdCounter); }
AU1 SpdGetAtomicCounter() { return spdCounter; }
void SpdResetAtomicCounter(AU1 slice) { spdGlobalAtomic[slice] = 0; }

ASU2 sourceSize() {
  uint width, height, slices;
  imgSrc.GetDimensions(width, height, slices);
  return ASU2(width, height);
}
ASU2 mipSize(AU1 mip) { return max(sourceSize() >> ASU2(mip + 1, mip + 1), ASU2(1, 1)); }

AF4 loadSource(ASU2 p, AU1 slice) {
#ifdef SPD_LINEAR_SAMPLER
  AF2 textureCoord = p * spdConstants.invInputSize + spdConstants.invInputSize;
  return imgSrc.SampleLevel(srcSampler, float3(textureCoord, slice), 0);
#else
  return imgSrc.Load(int4(min(p, sourceSize() - 1), slice, 0));
#endif
}
#define STORE(n)                        \
  case n:                               \
    imgDst[n][uint3(p, slice)] = value; \
    break;
void storeMip(ASU2 p, AF4 value, AU1 mip, AU1 slice) {
  if (any(p >= mipSize(mip))) return;
  switch (mip) {
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
  }
}
AF4 loadMip6(ASU2 p, AU1 slice) { return imgDst[5][uint3(min(p, mipSize(5) - 1), slice)]; }

#ifndef SPD_PACKED_ONLY
groupshared AF4 spdIntermediate[16][16];
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
groupshared AH4 spdIntermediateH[16][16];
AH4 SpdLoadSourceImageH(ASU2 p, AU1 slice) { return AH4(loadSource(p, slice)); }
AH4 SpdLoadH(ASU2 p, AU1 slice) { return AH4(loadMip6(p, slice)); }
void SpdStoreH(ASU2 p, AH4 value, AU1 mip, AU1 slice) { storeMip(p, AF4(value), mip, slice); }
AH4 SpdLoadIntermediateH(AU1 x, AU1 y) { return spdIntermediateH[x][y]; }
void SpdStoreIntermediateH(AU1 x, AU1 y, AH4 value) { spdIntermediateH[x][y] = value; }
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
#define ONEPASS_SPD_SIZE sourceSize()
#endif
#include "onepass/spd.hlsl"

[numthreads(256, 1, 1)]
void main(uint3 WorkGroupId : SV_GroupID, uint LocalThreadIndex : SV_GroupIndex) {
#ifdef A_HALF
  SpdDownsampleH(AU2(WorkGroupId.xy), AU1(LocalThreadIndex), AU1(spdConstants.mips), AU1(spdConstants.numWorkGroups),
                 AU1(WorkGroupId.z), AU2(spdConstants.workGroupOffset));
#else
  SpdDownsample(AU2(WorkGroupId.xy), AU1(LocalThreadIndex), AU1(spdConstants.mips), AU1(spdConstants.numWorkGroups),
                AU1(WorkGroupId.z), AU2(spdConstants.workGroupOffset));
#endif
}
