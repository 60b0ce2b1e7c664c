// fourier_operation.glsl: the operation on a frequency between a transform and its inverse: the product with a kernel's
// spectrum or with a filter's gain.
//
// OPERATION and CHANNELS are specialization constants. The operand at OPERAND_BINDING is one of:
//     kernel    its spectrum in columns: pair (q * H + ky), with planes (q * H + ky) * CHANNELS + c
//     filter    FourierFilterParams, then W/2 + 1 horizontal and H vertical frequencies in cycles per texel. The host
//               rounds them: a device's division may miss an ideal filter's cutoff
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

// Indices are clamped to the operand, so that all invocations may call this: loops need uniform control flow.
float filter_gain(uint2 size, uint q, uint ky) {
  q = min(q, size.x / 2u);
  return onepass_filter_gain(filter_frequencies[q], filter_frequencies[size.x / 2u + 1u + min(ky, size.y - 1u)]);
}

// Operates on the value of channel `member` at (q, ky), q <= W/2. As above, any invocation may call this.
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
