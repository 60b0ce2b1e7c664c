// fourier_pass.glsl: loads and stores of a pass of four-step between two buffers.
//
// The first pass loads from the source of the stage, the last pass stores to its target; all other accesses are to the
// buffers ping and pong, at the bindings of the source and target buffers. STEPS selects these and multiplications
// between passes. An operation on the spectrum runs all passes twice, forward and inverse, and so does Bluestein's
// convolution, except that its last pass forward and its first one inverse are one dispatch.
#define BETWEEN_BUFFERS 1
#include "fourier/fourier_stage.glsl"
#if STAGE == COLUMNS_BOTH
#include "fourier/fourier_operation.glsl"
#endif

READ_BUFFER(2, T, ping)
WRITE_BUFFER(3, T, pong)

#include "fourier/fourier_steps.glsl"

uint in_buffer(uint line, uint slice, uint position) { return (slice * LINE_COUNT + line) * LENGTH + position; }

// Loads value `position` of a line, the input of the pass.
T take(uint line, uint slice, uint position) {
  if (!does(ONEPASS_FOURIER_FIRST)) {
    COUNT_READ(8u * ONEPASS_FOURIER_SIGNALS);
    T value = ping[in_buffer(line, slice, position)];
#if STAGE == COLUMNS_BOTH
    if (does(ONEPASS_FOURIER_REJOIN)) {  // combine a of the even and b of the odd line: a - i b, a + i b
      COUNT_READ(8u * ONEPASS_FOURIER_SIGNALS);
      T other = ping[in_buffer(line ^ 1u, slice, position)];
      value = line % 2u == 0u ? value + onepass_times_minus_i(other) : other - onepass_times_minus_i(value);
    }
#endif
    return value;
  }
  if (AXIS == LENGTH) return load(line, slice, position, 0u);
  COUNT_ONLY_IF(position < AXIS);
  uint inside = min(position, AXIS - 1u);
  return ONLY_IF(position < AXIS, onepass_times(load(line, slice, inside, 0u), chirp(inside)));
}

void put(uint line, uint slice, uint k, T value) { store(line, slice, k, 0u, value); }

// Stores value k of a line, a result of the pass.
void leave(uint line, uint slice, uint k, T value) {
#if STAGE == COLUMNS_BOTH
  if (does(ONEPASS_FOURIER_OPERATE)) {
    value = onepass_swapped(operated(kSize, line / kLinesOfColumn, k, line % kLinesOfColumn, value));
  }
#endif
  if (!does(ONEPASS_FOURIER_LAST)) {
    COUNT_WRITTEN(8u * ONEPASS_FOURIER_SIGNALS);
    pong[in_buffer(line, slice, k)] = value;
  } else if (AXIS == LENGTH) {
    put(line, slice, k, value);
  } else if (k < AXIS) {
    put(line, slice, k, onepass_times(onepass_swapped(value), chirp(k)));
  }
}
