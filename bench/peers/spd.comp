// spd.comp: the entry point that FidelityFX SPD 2.0 asks its users to write: how its ffx_spd.h reads the source, stores
// levels, counts workgroups and reduces four values. Compiled only where its headers are (ONEPASS_BENCH_PEERS).
//
// Macros: SPD_FORMAT (rgba8, rgba16f, r32f), SPD_CHANNELS (4 or 1), and 0 or 1 each:
//   SPD_SAMPLER  level 1 by one linear sample per texel, which SPD recommends for means; else four texel fetches
//   SPD_HALF     packed half arithmetic
//   SPD_MIN      minimum instead of mean
//   SPD_DYNAMIC  levels are an array with a dynamic index, as in SPD's sample; else a switch, for devices without
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_quad : require

#define A_GPU 1
#define A_GLSL 1
#if SPD_HALF
#define A_HALF 1
#define SPD_PACKED_ONLY 1
#endif
#include "ffx_a.h"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) uniform sampler2DArray source;
// As in SPD's sample, only the level that workgroups exchange is coherent.
layout(set = 0, binding = 1, SPD_FORMAT) uniform writeonly image2DArray levels[12];
layout(set = 0, binding = 2, SPD_FORMAT) uniform coherent image2DArray exchanged_level;
layout(set = 0, binding = 3, std430) coherent buffer Counter { uint counter; };

layout(push_constant) uniform Push {
  uint level_count;
  uint group_count;
  vec2 texel_size;
} pc;

shared AU1 s_arrived;

void SpdIncreaseAtomicCounter(AU1 slice) { s_arrived = atomicAdd(counter, 1); }
AU1 SpdGetAtomicCounter() { return s_arrived; }
void SpdResetAtomicCounter(AU1 slice) { counter = 0; }

vec4 load_source(ASU2 at, AU1 slice) {
#if SPD_SAMPLER
  return textureLod(source, vec3(vec2(at) * pc.texel_size + pc.texel_size, slice), 0.0);
#else
  // Reads past an edge only reach texels that are not stored. SPD leaves the choice of a border to its users.
  return texelFetch(source, ivec3(min(at, textureSize(source, 0).xy - 1), slice), 0);
#endif
}

void store_level(ASU2 at, vec4 value, AU1 level, AU1 slice) {
  if (level == 5) {
    imageStore(exchanged_level, ivec3(at, slice), value);
    return;
  }
#if SPD_DYNAMIC
  imageStore(levels[level], ivec3(at, slice), value);
#else
#define STORE(n)                                    \
  case n:                                           \
    imageStore(levels[n], ivec3(at, slice), value); \
    break;
  switch (level) {
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
  }
#endif
}

#if SPD_HALF
shared AH2 s_rg[16][16];
shared AH2 s_ba[16][16];
AH4 SpdLoadSourceImageH(ASU2 at, AU1 slice) { return AH4(load_source(at, slice)); }
AH4 SpdLoadH(ASU2 at, AU1 slice) { return AH4(imageLoad(exchanged_level, ivec3(at, slice))); }
void SpdStoreH(ASU2 at, AH4 value, AU1 level, AU1 slice) { store_level(at, vec4(value), level, slice); }
AH4 SpdLoadIntermediateH(AU1 x, AU1 y) { return AH4(s_rg[x][y], s_ba[x][y]); }
void SpdStoreIntermediateH(AU1 x, AU1 y, AH4 value) {
  s_rg[x][y] = value.xy;
  s_ba[x][y] = value.zw;
}
AH4 SpdReduce4H(AH4 a, AH4 b, AH4 c, AH4 d) { return (a + b + c + d) * AH1(0.25); }
#else
shared AF1 s_r[16][16];
#if SPD_CHANNELS == 4
shared AF1 s_g[16][16];
shared AF1 s_b[16][16];
shared AF1 s_a[16][16];
#endif
AF4 SpdLoadSourceImage(ASU2 at, AU1 slice) { return load_source(at, slice); }
AF4 SpdLoad(ASU2 at, AU1 slice) { return imageLoad(exchanged_level, ivec3(at, slice)); }
void SpdStore(ASU2 at, AF4 value, AU1 level, AU1 slice) { store_level(at, value, level, slice); }
AF4 SpdLoadIntermediate(AU1 x, AU1 y) {
#if SPD_CHANNELS == 4
  return AF4(s_r[x][y], s_g[x][y], s_b[x][y], s_a[x][y]);
#else
  return AF4(s_r[x][y], 0, 0, 0);
#endif
}
void SpdStoreIntermediate(AU1 x, AU1 y, AF4 value) {
  s_r[x][y] = value.x;
#if SPD_CHANNELS == 4
  s_g[x][y] = value.y;
  s_b[x][y] = value.z;
  s_a[x][y] = value.w;
#endif
}
AF4 SpdReduce4(AF4 a, AF4 b, AF4 c, AF4 d) {
#if SPD_MIN
  return min(min(a, b), min(c, d));
#else
  return (a + b + c + d) * 0.25;
#endif
}
#endif

#if SPD_SAMPLER
#define SPD_LINEAR_SAMPLER 1
#endif
#include "ffx_spd.h"

void main() {
#if SPD_HALF
  SpdDownsampleH(gl_WorkGroupID.xy, gl_LocalInvocationIndex, pc.level_count, pc.group_count, gl_WorkGroupID.z);
#else
  SpdDownsample(gl_WorkGroupID.xy, gl_LocalInvocationIndex, pc.level_count, pc.group_count, gl_WorkGroupID.z);
#endif
}
