// fourier_operation.glsl: what happens to a frequency between a transform and its inverse.
//
// OPERATION and CHANNELS are specialization constants. The operand lies at OPERAND_BINDING:
//     a kernel    its spectrum in columns: pair (q * H + ky), or (q * H + ky) * CHANNELS + c with planes
//     a filter    FourierFilterParams, then the W/2 + 1 frequencies across and the H down, in cycles per texel: rounded
//                 by the host, because a device's division may not meet an ideal filter's cutoff
#include "onepass/fourier_filter_params.h"
#include "fourier/fourier_operation_params.h"

#ifndef OPERAND_BINDING
#define OPERAND_BINDING 7
#endif
layout(binding = OPERAND_BINDING) readonly buffer Operand { float2 operand_pairs[]; };
layout(binding = OPERAND_BINDING) readonly buffer FilterOperand {
  FourierFilterParams filter_params;
  float filter_frequencies[];
};
#define ONEPASS_FILTER_PARAMS filter_params
#include "onepass/fourier_filter.glsl"

// Of a frequency that is not there nothing outside of the operand is read, so that all invocations may come here: loops want
// them together.
float filter_gain(uint2 size, uint q, uint ky) {
  q = min(q, size.x / 2u);
  return onepass_filter_gain(filter_frequencies[q], filter_frequencies[size.x / 2u + 1u + min(ky, size.y - 1u)]);
}

// The value of channel `member` at (q, ky), q <= W/2, operated on. As above, any invocation may come here.
float2 operated(uint2 size, uint q, uint ky, uint member, float2 value) {
  if (OPERATION == ONEPASS_OPERATION_FILTER) return value * filter_gain(size, q, ky);
  q = min(q, size.x / 2u);
  ky = min(ky, size.y - 1u);
  if (OPERATION == ONEPASS_OPERATION_NONE) return value;
  bool planes = OPERATION == ONEPASS_OPERATION_PLANES || OPERATION == ONEPASS_OPERATION_PLANES_CONJUGATE;
  uint element = q * size.y + ky;
  float2 h = operand_pairs[planes ? element * CHANNELS + min(member, CHANNELS - 1u) : element];
  if (OPERATION == ONEPASS_OPERATION_KERNEL_CONJUGATE || OPERATION == ONEPASS_OPERATION_PLANES_CONJUGATE) h.y = -h.y;
  return float2(value.x * h.x - value.y * h.y, value.x * h.y + value.y * h.x);
}
