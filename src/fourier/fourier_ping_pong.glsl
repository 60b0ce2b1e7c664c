// fourier_ping_pong.glsl: the code of fourier_ping_pong.comp, in GLSL and HLSL.
//
// STEPS selects the copy: ONEPASS_FOURIER_FIRST from the source, ONEPASS_FOURIER_LAST to the target,
// ONEPASS_FOURIER_OPERATE from buffer to buffer with an operation on the spectrum. In these buffers each signal is a
// line of float2.
#include "onepass/prelude.glsl"
#include "onepass/fourier_params.h"
#include "fourier/fourier_constants.glsl"
#if ONEPASS_FOURIER_SIGNALS == 2
#define ONEPASS_FOURIER_T float4
#else
#define ONEPASS_FOURIER_T float2
#endif
#include "onepass/fourier_dft.glsl"
#define BETWEEN_BUFFERS 1
#include "fourier/fourier_stage.glsl"
#if STAGE == COLUMNS_BOTH
#include "fourier/fourier_operation.glsl"
#endif
#include "fourier/fourier_steps.glsl"

READ_BUFFER(2, float2, ping)
WRITE_BUFFER(3, float2, pong)

// The first signal of a value; the next one is LENGTH further.
uint in_buffer(uint line, uint slice, uint position) {
  return (slice * LINE_COUNT + line) * ONEPASS_FOURIER_SIGNALS * LENGTH + position;
}

T read_value(uint line, uint slice, uint position) {
  COUNT_READ(8u * ONEPASS_FOURIER_SIGNALS);
  uint i = in_buffer(line, slice, position);
#if ONEPASS_FOURIER_SIGNALS == 2
  return float4(ping[i], ping[i + LENGTH]);
#else
  return ping[i];
#endif
}

void write_value(uint line, uint slice, uint position, T value) {
  COUNT_WRITTEN(8u * ONEPASS_FOURIER_SIGNALS);
  uint i = in_buffer(line, slice, position);
#if ONEPASS_FOURIER_SIGNALS == 2
  pong[i] = value.xy;
  pong[i + LENGTH] = value.zw;
#else
  pong[i] = value;
#endif
}

T load_value(uint line, uint slice, uint position) {
  if (AXIS == LENGTH) return load(line, slice, position, 0u);
  COUNT_ONLY_IF(position < AXIS);
  uint inside = min(position, AXIS - 1u);
  return ONLY_IF(position < AXIS, onepass_times(load(line, slice, inside, 0u), chirp(inside)));
}

void store_value(uint line, uint slice, uint position) {
  T value = read_value(line, slice, position);
  if (AXIS != LENGTH) value = onepass_times(onepass_swapped(value), chirp(position));
  store(line, slice, position, 0u, value);
}

#if STAGE == COLUMNS_BOTH
T operated_value(uint line, uint slice, uint k) {
  T value = read_value(line, slice, k);
  return onepass_swapped(operated(kSize, line / kLinesOfColumn, k, line % kLinesOfColumn, value));
}

// The input of the inverse transform at frequency k.
T operate(uint line, uint slice, uint k) {
  T value = operated_value(line, slice, k);
  if (does(ONEPASS_FOURIER_REJOIN)) {  // combine a of the even and b of the odd line: a - i b, a + i b
    T other = operated_value(line ^ 1u, slice, k);
    value = line % 2u == 0u ? value + onepass_times_minus_i(other) : other - onepass_times_minus_i(value);
  }
  return value;
}
#endif

void main() {
  uint position = gl_GlobalInvocationID.x;
  uint line = gl_GlobalInvocationID.y;
  uint slice = gl_GlobalInvocationID.z;
  if (position >= (does(ONEPASS_FOURIER_LAST) ? AXIS : LENGTH)) return;
  if (does(ONEPASS_FOURIER_FIRST)) write_value(line, slice, position, load_value(line, slice, position));
  if (does(ONEPASS_FOURIER_LAST)) store_value(line, slice, position);
#if STAGE == COLUMNS_BOTH
  if (does(ONEPASS_FOURIER_OPERATE)) write_value(line, slice, position, operate(line, slice, position));
#endif
}
