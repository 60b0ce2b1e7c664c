// fourier_texels.comp: per-texel steps of filters and deconvolutions. One invocation per texel.
//
// Intermediate images are float buffers: STORED channels per texel, rows and slices without gaps.
//
// STEP, a specialization constant, one of ONEPASS_TEXELS_... Steps with the same images share a kernel: those that read
// one (READS_IMAGE), those that write one and pass its alpha (WRITES_IMAGE), those without.
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
layout(constant_id = 6) const uint STEP = ONEPASS_TEXELS_LOAD;
layout(push_constant, std430) uniform Constants { TexelParams pc; };

#if READS_IMAGE || WRITES_IMAGE
layout(binding = 0) uniform sampler2DArray source;
#endif
#if WRITES_IMAGE
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

// Exponent of a slice's brightest value, clamped so that 2^exponent and its inverse are normal.
int exponent_of(uint slice) { return clamp(int(brightest[slice] >> 23) - 127, -126, 126); }

float power_of_2(int exponent) { return onepass_bits_float(uint(127 + exponent) << 23); }

uint index_in(uint2 size, uint2 texel, uint slice) { return ((slice * size.y + texel.y) * size.x + texel.x) * STORED; }

#if READS_IMAGE
void load_texel(uint2 at, uint slice) {
  uint i = index_in(pc.size, at, slice);
  float4 texel = texelFetch(source, int3(int2(at), int(slice)), 0);
  if (STEP == ONEPASS_TEXELS_LOAD && all(equal(at, uint2(0u, 0u)))) brightest[slice] = 0u;
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) {
    if (STEP == ONEPASS_TEXELS_LOAD) {
      values[i + c] = min(texel[c] > pc.amount ? texel[c] : pc.amount, kLargest);
    } else {
      values[i + c] = log((texel[c] < 0.0 ? 0.0 : texel[c]) + pc.amount);  // the comparison lets NaN pass
    }
  }
}

void main() {
  if (all(lessThan(gl_GlobalInvocationID.xy, pc.size))) load_texel(gl_GlobalInvocationID.xy, gl_GlobalInvocationID.z);
}

#elif WRITES_IMAGE
void store_texel(uint2 at, uint slice) {
  bool of_estimate = STEP == ONEPASS_TEXELS_STORE;
  uint i = index_in(of_estimate ? pc.estimate : pc.size, of_estimate ? uint2(int2(at) + pc.offset) : at, slice);
  float unit = 1.0;
  if (of_estimate) unit = power_of_2(exponent_of(slice));
  float4 texel = float4(0.0, 0.0, 0.0, 1.0);
  ONEPASS_UNROLL for (uint c = 0u; c < CHANNELS; ++c) {
    texel[c] = of_estimate ? values[i + c] * unit : exp(values[i + c]) - pc.amount;
  }
  if (PASS_ALPHA) texel.a = texelFetch(source, int3(int2(at), int(slice)), 0).a;
  imageStore(target, int3(int2(at), int(slice)), encode_target(texel));
}

void main() {
  if (all(lessThan(gl_GlobalInvocationID.xy, pc.size))) store_texel(gl_GlobalInvocationID.xy, gl_GlobalInvocationID.z);
}

#else
void blend(uint2 at, uint slice) {
  uint i = index_in(pc.size, at, slice);
  float share = weights[at.x] * weights[pc.size.x + at.y];
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) {
    values[i + c] = share * values[i + c] + (1.0 - share) * others[i + c];
  }
}

groupshared uint s_brightest;

// Non-negative floats are ordered as their bit patterns.
void find_brightest(uint2 at, uint slice, bool inside) {
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

void start(uint2 at, uint slice) {
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

void divide(uint2 at, uint slice) {
  uint i = index_in(pc.size, at, slice);
  float factor = power_of_2(-exponent_of(slice));
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) values[i + c] = others[i + c] * factor / max(values[i + c], 1e-7);
}

void correct(uint2 at, uint slice) {
  uint i = index_in(pc.estimate, at, slice);
  ONEPASS_UNROLL for (uint c = 0u; c < STORED; ++c) {
    float by = 1.0;
    if (WEIGHTED) by = weights[i + c];
    if (by >= kLeastBlurOnImage) values[i + c] *= max(others[i + c], 0.0) / by;
  }
}

void main() {
  uint2 at = gl_GlobalInvocationID.xy;
  uint slice = gl_GlobalInvocationID.z;
  const bool all_of_estimate = STEP == ONEPASS_TEXELS_START || STEP == ONEPASS_TEXELS_CORRECT;
  bool inside = all(lessThan(at, all_of_estimate ? pc.estimate : pc.size));
  if (STEP == ONEPASS_TEXELS_BRIGHTEST) find_brightest(at, slice, inside);
  if (!inside) return;
  if (STEP == ONEPASS_TEXELS_BLEND) blend(at, slice);
  if (STEP == ONEPASS_TEXELS_START) start(at, slice);
  if (STEP == ONEPASS_TEXELS_DIVIDE) divide(at, slice);
  if (STEP == ONEPASS_TEXELS_CORRECT) correct(at, slice);
}
#endif
