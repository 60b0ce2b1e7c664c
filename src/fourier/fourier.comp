// fourier.comp: one stage of a transform in one dispatch; src/fourier/kernels.cmake lists the variants.
//
// Macros: STAGE, ONEPASS_FOURIER_SIGNALS, ONEPASS_FOURIER_SCALAR, SOURCE_BUFFER, TARGET_BUFFER, and BLUESTEIN for lengths with other prime
// factors than 2, 3, 5 and 7: a transform of length AXIS as a convolution with exp(pi i n n / AXIS), done by transforms of
// length LENGTH >= 2 AXIS - 1 (L. Bluestein, "A Linear Filtering Approach to the Computation of Discrete Fourier
// Transform", 1970).
//
// A workgroup owns LINES lines; invocation i has lane i / LINES of line i % LINES, so that neighbours in a subgroup work on
// neighbouring lines, which lie next to each other where lines are stored across.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "onepass/prelude.glsl"
#include "onepass/fourier_params.h"
#include "fourier/fourier_constants.glsl"

#define ONEPASS_FOURIER_LENGTH LENGTH
#define ONEPASS_FOURIER_LANES LANES
#define ONEPASS_FOURIER_LINES LINES
#define ONEPASS_FOURIER_PASSES PASSES
#define ONEPASS_FOURIER_RADIX(p) radix_of(p)
#define ONEPASS_FOURIER_PAD PAD
#define ONEPASS_FOURIER_SHARED SHARED
#define PING_PONG 0
#include "onepass/fourier.glsl"
#include "fourier/fourier_stage.glsl"
#if STAGE == COLUMNS_BOTH
#include "fourier/fourier_operation.glsl"
#endif

// Index of an invocation's value j of butterfly m in the first or last pass, whose radix is given.
#define EACH_VALUE(radix)                                                               \
  ONEPASS_UNROLL for (uint m = 0u; m < onepass_fourier_count(radix); ++m)               \
      ONEPASS_UNROLL for (uint j = 0u; j < radix; ++j)
#define POSITION(radix) (lane + m * LANES + j * (LENGTH / radix))

#define COLUMNS (STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH)

#if BLUESTEIN
float2 chirp(uint n) { return tables[LENGTH + n]; }
float2 chirp_spectrum(uint k) { return tables[LENGTH + AXIS + k]; }
#endif

#if STAGE == COLUMNS_FORWARD
#define JOINED ONEPASS_FOURIER_JOIN_REAL
#else
#define JOINED ONEPASS_FOURIER_JOIN_COMPLEX
#endif

void put(uint line, uint slice, uint k, T value) {
#if STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH
  store_back(line, slice, k, value);
#else
  store(line, slice, k, value);
#endif
}

void main() {
  uint lane = gl_LocalInvocationIndex / LINES;
  uint in_group = gl_LocalInvocationIndex % LINES;
  uint line = gl_WorkGroupID.x * LINES + in_group;
  uint slice = gl_WorkGroupID.y;
  bool has_line = line < pc.lines;
  const uint first = radix_of(0u);
  const uint last = radix_of(PASSES - 1u);

  EACH_VALUE(first) {
    uint position = POSITION(first);
    bool has = has_line && onepass_fourier_has(first, lane + m * LANES);
    v[m * first + j] = none();
#if BLUESTEIN
    if (has && position < AXIS) v[m * first + j] = onepass_times(load(line, slice, position), chirp(position));
#else
    if (has) v[m * first + j] = load(line, slice, position);
#endif
  }

#if STAGE == COLUMNS_INVERSE && !BLUESTEIN
  if (JOIN && has_line && self_mirrored(line / kLinesOfColumn)) {
    EACH_VALUE(first) { v[m * first + j] = hermitian_part(line, slice, POSITION(first), v[m * first + j]); }
  }
#endif

#if BLUESTEIN
  onepass_fourier(lane, in_group, false, 0u);
#elif STAGE == COLUMNS_BOTH
  onepass_fourier(lane, in_group, false, JOIN ? ONEPASS_FOURIER_JOIN_REAL : 0u);
#else
  onepass_fourier(lane, in_group, false, JOIN ? JOINED : 0u);
#endif

#if BLUESTEIN || STAGE == COLUMNS_BOTH
#if BLUESTEIN
  EACH_VALUE(last) {
    if (has_line && onepass_fourier_has(last, lane + m * LANES)) {
      uint i = m * last + j;
      v[i] = onepass_swapped(onepass_times(v[i], chirp_spectrum(POSITION(last))));
    }
  }
#else
  // Those without a value come along: an operation may have loops, which want all invocations together.
  EACH_VALUE(last) {
    v[m * last + j] = onepass_swapped(operate(line, slice, POSITION(last), v[m * last + j]));
  }
#endif
#if STAGE == COLUMNS_BOTH
  onepass_fourier(lane, in_group, true, JOIN ? ONEPASS_FOURIER_JOIN_COMPLEX : 0u);
#else
  onepass_fourier(lane, in_group, true, 0u);
#endif
#if BLUESTEIN
  EACH_VALUE(first) {
    uint position = POSITION(first);
    if (position < AXIS) {
      v[m * first + j] = onepass_times(onepass_swapped(v[m * first + j]), chirp(position));
    }
  }
#endif
#define LAST first
#else
#define LAST last
#endif
#if COLUMNS && BLUESTEIN
  if (JOIN) onepass_fourier_join(lane, in_group, LAST, JOINED);
#endif
  EACH_VALUE(LAST) {
    if (has_line && onepass_fourier_has(LAST, lane + m * LANES) && POSITION(LAST) < AXIS) {
      put(line, slice, POSITION(LAST), v[m * LAST + j]);
    }
  }
}
