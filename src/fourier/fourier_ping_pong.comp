// fourier_ping_pong.comp: one butterfly pass of a stage in one dispatch, from one buffer to another: the simple sibling of
// fourier.comp, with the same macros, sources and targets. An invocation owns one butterfly of RADIX values.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/fourier_params.h"
#include "fourier/fourier_constants.glsl"
#if ONEPASS_FOURIER_SIGNALS == 2
#define ONEPASS_FOURIER_T float4
#else
#define ONEPASS_FOURIER_T float2
#endif
#define PING_PONG 1
#define BLUESTEIN 0
#include "onepass/fourier_dft.glsl"
#include "fourier/fourier_stage.glsl"
#if STAGE == COLUMNS_BOTH
#include "fourier/fourier_operation.glsl"
#endif

layout(binding = 5) readonly buffer Ping { T ping[]; };
layout(binding = 6) writeonly buffer Pong { T pong[]; };

float2 chirp(uint n) { return tables[LENGTH + n]; }
float2 chirp_spectrum(uint k) { return tables[LENGTH + AXIS + k]; }

void put(uint line, uint slice, uint k, T value) {
#if STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH
  store_back(line, slice, k, 0u, value);
#else
  store(line, slice, k, 0u, value);
#endif
}

void main() {
  uint b = gl_GlobalInvocationID.x;
  uint line = gl_GlobalInvocationID.y;
  uint slice = gl_GlobalInvocationID.z;
  if (b >= LENGTH / RADIX) return;
  bool bluestein = AXIS != LENGTH;
  bool first = (pc.steps & ONEPASS_FOURIER_FIRST) != 0u;
  uint in_line = (slice * pc.lines + line) * LENGTH;
  uint turn = b % pc.before * (LENGTH / (pc.before * RADIX));

  ONEPASS_UNROLL for (uint j = 0u; j < RADIX; ++j) {
    uint position = b + j * (LENGTH / RADIX);
    COUNTED(true);
    if (!first) {
      COUNT_READ(8u * ONEPASS_FOURIER_SIGNALS);
      v[j] = ping[in_line + position];
#if STAGE == COLUMNS_BOTH
      if ((pc.steps & ONEPASS_FOURIER_REJOIN) != 0u) {  // this line and its neighbour, put together: a - i b, a + i b
        T other = ping[(slice * pc.lines + (line ^ 1u)) * LENGTH + position];
        v[j] = line % 2u == 0u ? v[j] + onepass_turned(other) : other - onepass_turned(v[j]);
      }
#endif
    } else if (!bluestein) {
      v[j] = load(line, slice, position, 0u);
    } else if (position < AXIS) {
      v[j] = onepass_times(load(line, slice, position, 0u), chirp(position));
    } else {
      v[j] = none();
    }
    if (j > 0u && pc.before > 1u) v[j] = onepass_times(v[j], onepass_fourier_twiddle(turn * j));
  }

  onepass_dft(RADIX, 1u);

  uint result = b / pc.before * pc.before * RADIX + b % pc.before;
  ONEPASS_UNROLL for (uint j = 0u; j < RADIX; ++j) {
    uint k = result + j * pc.before;
    if ((pc.steps & ONEPASS_FOURIER_CONVOLVE) != 0u) v[j] = onepass_swapped(onepass_times(v[j], chirp_spectrum(k)));
#if STAGE == COLUMNS_BOTH
    if ((pc.steps & ONEPASS_FOURIER_OPERATE) != 0u) v[j] = onepass_swapped(operated(pc.size, line / kLinesOfColumn, k, line % kLinesOfColumn, v[j]));
#endif
    if ((pc.steps & ONEPASS_FOURIER_LAST) == 0u) {
      COUNT_WRITTEN(8u * ONEPASS_FOURIER_SIGNALS);
      pong[in_line + k] = v[j];
    } else if (!bluestein) {
      put(line, slice, k, v[j]);
    } else if (k < AXIS) {
      put(line, slice, k, onepass_times(onepass_swapped(v[j]), chirp(k)));
    }
  }
}
