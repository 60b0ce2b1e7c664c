// fourier_texels.comp: per-texel steps of filters and deconvolutions. One invocation per texel.
//
// Intermediate images are float buffers: STORED channels per texel, rows and slices without gaps.
//
// STEP, a macro, one of ONEPASS_TEXELS_...:
//     load           image -> floats, at least `amount`; NaN becomes `amount`, Inf the largest float
//     logarithm      image -> floats, ln(max(value, 0) + amount)
//     exponential    floats -> image, exp(value) - amount
//     blend          floats blended with their blur by a horizontal times a vertical weight
// and for Richardson-Lucy, in units of the power of 2 below each slice's brightest value:
//     brightest      that value, of the transformed channels
//     start          measured -> estimate, edge texels repeated into the margins, or `amount`; and a mask of ones
//     divide         blurred = measured / blurred
//     correct        estimate *= correction / weight
//     store          estimate -> image, without margins
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "fourier/fourier_operation_params.h"

layout(local_size_x = 64, local_size_y = 4) in;
layout(constant_id = 0) const uint STORED = 4u;         // channels of the float buffers
layout(constant_id = 1) const uint CHANNELS = 4u;       // transformed channels
layout(constant_id = 2) const bool PASS_ALPHA = false;  // copy the source's alpha to the target
layout(constant_id = 3) const bool WEIGHTED = false;    // correct: divide by a weight
layout(constant_id = 4) const uint TARGET_KIND = 0u;
layout(constant_id = 5) const bool TARGET_SRGB = false;
layout(push_constant, std430) uniform Constants { TexelParams pc; };

#define IMAGE_IN (STEP == ONEPASS_TEXELS_LOAD || STEP == ONEPASS_TEXELS_LOGARITHM || IMAGE_OUT)
#define IMAGE_OUT (STEP == ONEPASS_TEXELS_STORE || STEP == ONEPASS_TEXELS_EXPONENTIAL)
#define ALL_OF_ESTIMATE (STEP == ONEPASS_TEXELS_START || STEP == ONEPASS_TEXELS_CORRECT)

#if IMAGE_IN
layout(binding = 0) uniform sampler2DArray source;
#endif
#if IMAGE_OUT
layout(binding = 2) uniform writeonly image2DArray target;
#include "vulkan/target_texel.glsl"
#endif
layout(binding = 3) buffer Values { float values[]; };  // what the step computes; brightest, exponential, store: reads
layout(binding = 4) buffer Others { float others[]; };  // second operand
layout(binding = 5) buffer Weights { float weights[]; };
layout(binding = 6) buffer Brightest { uint brightest[]; };  // per slice: bits of a float

// As in cpu_deconvolution.cpp: with less weight the estimate is not changed.
const float kLeastBlurOnImage = 1e-3;
const float kLargest = 3.4028235e38;

#define OF_BRIGHTNESS (STEP == ONEPASS_TEXELS_START || STEP == ONEPASS_TEXELS_DIVIDE || STEP == ONEPASS_TEXELS_STORE)
#if OF_BRIGHTNESS
// Exponent of a slice's brightest value, clamped so that 2^exponent and its inverse are normal.
int exponent_of(uint slice) { return clamp(int(brightest[slice] >> 23) - 127, -126, 126); }

float power_of_2(int exponent) { return onepass_bits_float(uint(127 + exponent) << 23); }
#endif

uint index_in(uint2 size, uint2 texel, uint slice) { return ((slice * size.y + texel.y) * size.x + texel.x) * STORED; }

#if IMAGE_IN && !IMAGE_OUT
void change(uint2 at, uint slice) {
  uint i = index_in(pc.size, at, slice);
  float4 texel = texelFetch(source, int3(int2(at), int(slice)), 0);
#if STEP == ONEPASS_TEXELS_LOAD
  if (all(equal(at, uint2(0u, 0u)))) brightest[slice] = 0u;
#endif
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) {
#if STEP == ONEPASS_TEXELS_LOAD
    values[i + c] = min(texel[c] > pc.amount ? texel[c] : pc.amount, kLargest);
#else
    values[i + c] = log((texel[c] < 0.0 ? 0.0 : texel[c]) + pc.amount);  // the comparison lets NaN pass
#endif
  }
}
#endif

#if STEP == ONEPASS_TEXELS_BLEND
void change(uint2 at, uint slice) {
  uint i = index_in(pc.size, at, slice);
  float share = weights[at.x] * weights[pc.size.x + at.y];
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) {
    values[i + c] = share * values[i + c] + (1.0 - share) * others[i + c];
  }
}
#endif

#if STEP == ONEPASS_TEXELS_BRIGHTEST
groupshared uint s_brightest;

// Non-negative floats are ordered as their bit patterns.
void change(uint2 at, uint slice, bool inside) {
  if (gl_LocalInvocationIndex == 0u) s_brightest = 0u;
  onepass_group_barrier();  // the 0 is visible to all
  float largest = 0.0;
  if (inside) {
    uint i = index_in(pc.size, at, slice);
    ONEPASS_UNROLL for (uint c = 0u; c < CHANNELS; ++c) largest = max(largest, values[i + c]);
  }
  atomicMax(s_brightest, onepass_float_bits(largest));
  onepass_group_barrier();  // all have contributed
  if (gl_LocalInvocationIndex == 0u) atomicMax(brightest[slice], s_brightest);
}
#endif

#if STEP == ONEPASS_TEXELS_START
void change(uint2 at, uint slice) {
  int2 nearest = clamp(int2(at) - pc.offset, int2(0, 0), int2(pc.size) - 1);
  uint i = index_in(pc.estimate, at, slice);
  uint from = index_in(pc.size, uint2(nearest), slice);
  bool inside = all(lessThan(at, pc.size));
  uint mask = index_in(pc.size, at, slice);
  float factor = power_of_2(-exponent_of(slice));
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) {
    // Not 0: products cannot leave 0.
    values[i + c] = pc.amount > 0.0 ? pc.amount : max(others[from + c] * factor, 1e-6);
    if (inside) weights[mask + c] = 1.0;
  }
}
#endif

#if STEP == ONEPASS_TEXELS_DIVIDE
void change(uint2 at, uint slice) {
  uint i = index_in(pc.size, at, slice);
  float factor = power_of_2(-exponent_of(slice));
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) values[i + c] = others[i + c] * factor / max(values[i + c], 1e-7);
}
#endif

#if STEP == ONEPASS_TEXELS_CORRECT
void change(uint2 at, uint slice) {
  uint i = index_in(pc.estimate, at, slice);
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) {
    float by = 1.0;
    if (WEIGHTED) by = weights[i + c];
    if (by >= kLeastBlurOnImage) values[i + c] *= max(others[i + c], 0.0) / by;
  }
}
#endif

#if IMAGE_OUT
void change(uint2 at, uint slice) {
#if STEP == ONEPASS_TEXELS_STORE
  uint i = index_in(pc.estimate, uint2(int2(at) + pc.offset), slice);
  float unit = power_of_2(exponent_of(slice));
#else
  uint i = index_in(pc.size, at, slice);
#endif
  float4 texel = float4(0.0, 0.0, 0.0, 1.0);
  ONEPASS_UNROLL for (uint c = 0u; c < CHANNELS; ++c) {
#if STEP == ONEPASS_TEXELS_STORE
    texel[c] = values[i + c] * unit;
#else
    texel[c] = exp(values[i + c]) - pc.amount;
#endif
  }
  if (PASS_ALPHA) texel.a = texelFetch(source, int3(int2(at), int(slice)), 0).a;
  imageStore(target, int3(int2(at), int(slice)), encode_target(texel));
}
#endif

void main() {
#if ALL_OF_ESTIMATE
  uint2 size = pc.estimate;
#else
  uint2 size = pc.size;
#endif
  bool inside = all(lessThan(gl_GlobalInvocationID.xy, size));
#if STEP == ONEPASS_TEXELS_BRIGHTEST
  change(gl_GlobalInvocationID.xy, gl_GlobalInvocationID.z, inside);
#else
  if (inside) change(gl_GlobalInvocationID.xy, gl_GlobalInvocationID.z);
#endif
}
