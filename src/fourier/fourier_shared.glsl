// fourier_shared.glsl: the code of fourier.comp, in GLSL and HLSL.
#include "onepass/prelude.glsl"
#include "onepass/fourier_params.h"
#include "fourier/fourier_constants.glsl"

#define LINE LENGTH
#define ONEPASS_FOURIER_WHOLE_VALUES WHOLE_VALUES
#include "fourier/fourier_lines.glsl"
#define BETWEEN_BUFFERS 0
// With two signals all texels of the source are read before one of the result is stored, because a read between two
// stores would wait for memory at every value.
#define READS_ORIGINALS_FIRST (ONEPASS_FOURIER_SIGNALS == 2)
#include "fourier/fourier_stage.glsl"
#if STAGE == COLUMNS_BOTH
#include "fourier/fourier_operation.glsl"
#endif

#if BLUESTEIN
float2 chirp(uint n) { return tables[LENGTH + n]; }
float2 chirp_spectrum(uint k) { return tables[LENGTH + AXIS + k]; }
#endif

void put(uint line, uint slice, uint b, const uint more, T value) { store(line, slice, b, more, value); }

#if STAGE == COLUMNS_BOTH
// The code of a filter's gain is long: a loop that is not unrolled writes the gains to shared memory.
void store_gains(uint line, uint lane, uint in_group, const uint radix) {
  onepass_group_barrier();  // the previous contents have been read
  for (uint i = 0u; i < onepass_fourier_count(radix) * radix; ++i) {
    uint b = lane + i / radix * LANES;
    uint k = b + i % radix * (LENGTH / radix);
    float gain = filter_gain(kSize, line / kLinesOfColumn, k);
    if (onepass_fourier_has(radix, b)) s_exchange[onepass_fourier_slot(k, in_group)] = gain;
  }
}

T operate(uint line, uint in_group, uint k, T value) {
  uint q = line / kLinesOfColumn;
  if (OPERATION == ONEPASS_OPERATION_FILTER) {
    return value * s_exchange[onepass_fourier_slot(min(k, LENGTH - 1u), in_group)];
  }
  uint member = line % kLinesOfColumn;
#if ONEPASS_FOURIER_SIGNALS == 2
  uint channel = JOIN ? 2u * member : 0u;
  return float4(operated(kSize, q, k, channel, value.xy), operated(kSize, q, k, channel + 1u, value.zw));
#else
  return operated(kSize, q, k, member, value);
#endif
}
#endif

#if OVER_SOURCE && READS_ORIGINALS_FIRST
ONEPASS_PRIVATE float4 original[ONEPASS_FOURIER_MOST];
#endif

void main() {
  uint lane = gl_LocalInvocationIndex / LINES;
  uint in_group = gl_LocalInvocationIndex % LINES;
  uint line = gl_WorkGroupID.x * LINES + in_group;
  uint slice = gl_WorkGroupID.y;
  const uint first = radix_of(0u);
  const uint last = radix_of(PASSES - 1u);

  // Invocations without a line or butterfly load another's, for uniform control flow, and store nothing.
  bool has_line = true;
  if (!EVEN) has_line = line < LINE_COUNT;
  const uint together = JOIN ? 2u : 1u;
  if (!has_line) line = LINE_COUNT - together + in_group % together;

  EACH_VALUE(first) {
    COUNTED(has_line && onepass_fourier_has(first, lane + m * LANES));
    uint b = onepass_fourier_butterfly(lane, m, first);
    const uint more = j * (LENGTH / first);
#if BLUESTEIN
    uint position = min(b + more, AXIS - 1u);
    v[m * first + j] = ONLY_IF(b + more < AXIS, onepass_times(load(line, slice, position, 0u), chirp(position)));
#else
    v[m * first + j] = load(line, slice, b, more);
#endif
  }

#if STAGE == COLUMNS
  if (INVERSE && JOIN) {
    EACH_VALUE(first) { v[m * first + j] = unite(v[m * first + j], line); }
  }
#endif

  onepass_fourier(lane, in_group, false);

#if STAGE == COLUMNS_BOTH
  if (OPERATION == ONEPASS_OPERATION_FILTER) store_gains(line, lane, in_group, last);
  EACH_VALUE(last) {
    uint i = m * last + j;
    if (JOIN) v[i] = split(v[i], line);
    v[i] = onepass_swapped(operate(line, in_group, POSITION(last), v[i]));
    if (JOIN) v[i] = unite(v[i], line);
  }
  onepass_fourier(lane, in_group, true);
#elif BLUESTEIN
  EACH_VALUE(last) {
    uint i = m * last + j;
    uint k = onepass_fourier_butterfly(lane, m, last) + j * (LENGTH / last);
    v[i] = onepass_swapped(onepass_times(v[i], chirp_spectrum(k)));
  }
  onepass_fourier(lane, in_group, true);
  EACH_VALUE(first) {
    uint i = m * first + j;
    v[i] = onepass_times(onepass_swapped(v[i]), chirp(min(POSITION(first), AXIS - 1u)));
  }
#endif

  const uint at_end = BLUESTEIN == 1 || STAGE == COLUMNS_BOTH ? first : last;
#if STAGE == COLUMNS
  if (!INVERSE && JOIN) {
    EACH_VALUE(at_end) { v[m * at_end + j] = split(v[m * at_end + j], line); }
  }
  // Only workgroups with lines of the first or of the last column have self-mirrored ones. A condition per invocation
  // would be slow for all.
  uint begin = gl_WorkGroupID.x * LINES;
  if (INVERSE && JOIN && (begin < kLinesOfColumn || begin + LINES > LINE_COUNT - kLinesOfColumn)) {
    EACH_VALUE(at_end) { v[m * at_end + j] = real_channels(v[m * at_end + j], line / kLinesOfColumn); }
  }
#endif
  if (!has_line) return;
#if OVER_SOURCE && READS_ORIGINALS_FIRST
  EACH_VALUE(at_end) {
    COUNTED(onepass_fourier_has(at_end, lane + m * LANES) && POSITION(at_end) < AXIS);
    original[m * at_end + j] = original_on_line(line, slice, POSITION(at_end));
  }
#endif
  EACH_VALUE(at_end) {
#if OVER_SOURCE && READS_ORIGINALS_FIRST
    read_original = original[m * at_end + j];
#endif
    if (onepass_fourier_has(at_end, lane + m * LANES) && POSITION(at_end) < AXIS) {
      put(line, slice, lane + m * LANES, j * (LENGTH / at_end), v[m * at_end + j]);
    }
  }
}
