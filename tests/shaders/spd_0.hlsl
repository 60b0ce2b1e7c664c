// spd_0.hlsl: spd_0.comp in HLSL.
struct SpdConstants {
  uint mips;
  uint numWorkGroups;
};
[[vk::push_constant]] ConstantBuffer<SpdConstants> spdConstants;
[[vk::binding(0)]] Texture2DArray<float4> imgSrc;
[[vk::binding(1)]] [[spv::format_rgba32f]] globallycoherent RWTexture2DArray<float4> imgDst[12];
[[vk::binding(2)]] globallycoherent RWStructuredBuffer<uint> spdGlobalAtomic;

#define A_GPU 1
#define A_HLSL 1
#include "onepass/spd_types.hlsl"

groupshared AF4 spd_intermediate[16][16];
groupshared AU1 spd_counter;

ASU2 sourceSize() {
  uint width, height, slices;
  imgSrc.GetDimensions(width, height, slices);
  return ASU2(width, height);
}
ASU2 mipSize(AU1 mip) { return max(sourceSize() >> ASU2(mip + 1, mip + 1), ASU2(1, 1)); }

AF4 SpdLoadSourceImage(ASU2 p) { return imgSrc.Load(int4(min(p, sourceSize() - 1), 0, 0)); }
AF4 SpdLoad(ASU2 p) { return imgDst[5][uint3(min(p, mipSize(5) - 1), 0)]; }
void SpdStore(ASU2 p, AF4 value, AU1 mip) {
  if (all(p < mipSize(mip))) imgDst[mip][uint3(p, 0)] = value;
}
void SpdIncreaseAtomicCounter() { InterlockedAdd(spdGlobalAtomic[0], 1, spd_counter); }
AU1 SpdGetAtomicCounter() { return spd_counter; }
AF4 SpdLoadIntermediate(AU1 x, AU1 y) { return spd_intermediate[x][y]; }
void SpdStoreIntermediate(AU1 x, AU1 y, AF4 value) { spd_intermediate[x][y] = value; }
AF4 SpdReduce4(AF4 v0, AF4 v1, AF4 v2, AF4 v3) { return (v0 + v1 + v2 + v3) * 0.25; }

#define ONEPASS_SPD_WITHOUT_SLICES 1
#include "onepass/spd.hlsl"

[numthreads(256, 1, 1)]
void main(uint3 WorkGroupId : SV_GroupID, uint LocalThreadIndex : SV_GroupIndex) {
  SpdDownsample(AU2(WorkGroupId.xy), AU1(LocalThreadIndex), AU1(spdConstants.mips), AU1(spdConstants.numWorkGroups));
}
