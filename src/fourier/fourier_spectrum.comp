// fourier_spectrum.comp: changes a spectrum in place. One invocation per value.
//
// STEP, one of ONEPASS_SPECTRUM_...:
//     operate    applies src/fourier/fourier_operation.glsl, for column lengths without a fused kernel
//     mix        adds `amount` to every value: the spectrum of an impulse at the origin
//     invert     Wiener filter: replaces H by conj H / (|H|^2 + amount P). P is 1, but 0 at frequency 0 (flat_prior),
//                or the square of laplacian[q] + laplacian[W/2 + 1 + ky]
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint STEP = 0u;
layout(constant_id = 1) const uint OPERATION = 0u;
layout(constant_id = 2) const uint CHANNELS = 1u;

#define OPERAND_BINDING 4
#include "fourier/fourier_operation.glsl"

layout(push_constant, std430) uniform Constants { SpectrumParams pc; };
layout(binding = 3) buffer Spectrum { float2 spectrum[]; };
layout(binding = OPERAND_BINDING) readonly buffer Laplacian { float laplacian[]; };

float2 inverted(uint q, uint ky, float2 h) {
  float prior = q == 0u && ky == 0u ? 0.0 : 1.0;
  if (pc.flat_prior == 0u) {
    float sum = laplacian[q] + laplacian[pc.size.x / 2u + 1u + ky];
    prior = sum * sum;
  }
  float power = h.x * h.x + h.y * h.y + pc.amount * prior;
  return power < 1e-12 ? float2(0.0, 0.0) : float2(h.x, -h.y) / power;
}

void main() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = group * ONEPASS_FOURIER_STEP_GROUP + gl_LocalInvocationIndex;
  bool has = i < pc.count;
  uint element = i / CHANNELS;
  uint ky = element % pc.size.y;
  uint q = element / pc.size.y % (pc.size.x / 2u + 1u);
  float2 value = float2(0.0, 0.0);
  if (has) value = spectrum[i];
  if (STEP == ONEPASS_SPECTRUM_OPERATE) value = operated(pc.size, q, ky, i % CHANNELS, value);
  if (STEP == ONEPASS_SPECTRUM_MIX) value.x += pc.amount;
  if (STEP == ONEPASS_SPECTRUM_INVERT) value = inverted(q, ky, value);
  if (has) spectrum[i] = value;
}
