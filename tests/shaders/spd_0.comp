// spd_0.comp: a shader around FidelityFX SPD 1.0, whose callbacks have no slices and whose counter the host resets.
// Two of the callbacks are macros.
#version 450
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 256, local_size_y = 1, local_size_z = 1) in;

layout(push_constant) uniform SpdConstants {
  uint mips;
  uint numWorkGroups;
} spdConstants;

layout(set = 0, binding = 0) uniform sampler2DArray imgSrc;
layout(set = 0, binding = 1, rgba32f) uniform coherent image2DArray imgDst[12];
layout(set = 0, binding = 2, std430) coherent buffer SpdGlobalAtomicBuffer { uint counter; } spdGlobalAtomic;

#define A_GPU 1
#define A_GLSL 1
#include "onepass/spd_types.glsl"

shared AF4 spd_intermediate[16][16];
shared AU1 spd_counter;

AF4 SpdLoadSourceImage(ASU2 p) { return texelFetch(imgSrc, ivec3(min(p, textureSize(imgSrc, 0).xy - 1), 0), 0); }
AF4 SpdLoad(ASU2 p) { return imageLoad(imgDst[5], ivec3(min(p, imageSize(imgDst[5]).xy - 1), 0)); }
void SpdStore(ASU2 p, AF4 value, AU1 mip) {
  if (all(lessThan(p, imageSize(imgDst[mip]).xy))) imageStore(imgDst[mip], ivec3(p, 0), value);
}
#define SpdIncreaseAtomicCounter() spd_counter = atomicAdd(spdGlobalAtomic.counter, 1)
#define SpdGetAtomicCounter() spd_counter
AF4 SpdLoadIntermediate(AU1 x, AU1 y) { return spd_intermediate[x][y]; }
void SpdStoreIntermediate(AU1 x, AU1 y, AF4 value) { spd_intermediate[x][y] = value; }
AF4 SpdReduce4(AF4 v0, AF4 v1, AF4 v2, AF4 v3) { return (v0 + v1 + v2 + v3) * 0.25; }

#define ONEPASS_SPD_WITHOUT_SLICES 1
#include "onepass/spd.glsl"

void main() {
  SpdDownsample(AU2(gl_WorkGroupID.xy), AU1(gl_LocalInvocationIndex), AU1(spdConstants.mips),
                AU1(spdConstants.numWorkGroups));
}
