// luminance_bins.glsl: the bin of a luminance, and the histogram that a workgroup counts in shared memory, s_pool:
// ONEPASS_LUMINANCE_WAYS adjacent words per bin, one for each copy. Part of luminance_meter.glsl. CPU version of the
// bins: src/luminance/bins.hpp.
#ifndef ONEPASS_LUMINANCE_BINS_GLSL_
#define ONEPASS_LUMINANCE_BINS_GLSL_

#include "onepass/prelude_names.glsl"

/// Adds to the histogram in shared memory. Neighbouring invocations add to different copies.
void onepass_add_to_bin(uint bin, uint weight, uint lane) {
  onepass_shared_add(s_pool[bin * ONEPASS_LUMINANCE_WAYS + (lane & (ONEPASS_LUMINANCE_WAYS - 1u))], weight);
}

ONEPASS_TABLE uint onepass_bin_ends[32] = {ONEPASS_LUMINANCE_BIN_ENDS};

/// The bin of a luminance inside the bins. In the automatic range it is exact: a parabola gives the bin or the one
/// before, a comparison with an edge decides.
uint onepass_inner_bin(float luminance) {
  if (BINS == ONEPASS_LUMINANCE_FINE_BINS) {
    uint bits = onepass_float_bits(luminance);
    uint mantissa = (bits & 0x7FFFFFu) | 0x3F800000u;
    float m = onepass_bits_float(mantissa);
    uint guess = uint((m * -8.0 + 56.0) * m - 48.00390625);
    return (bits >> 23) * 32u - 3040u + guess + (mantissa >= s_bin_ends[guess] ? 1u : 0u);
  }
  int whole;
  float part = onepass_log2_parts(luminance, whole);
  float place = ((float(whole) + part) - pc.bin_low) * pc.bin_scale;
  return uint(clamp(place, 0.0, float(BINS - 1u)));
}

// Luminances are clamped to these before they are counted: to the automatic range, 2^-32 to the last float below 2^32,
// or to normal floats, as a given range may lie anywhere.
#define ONEPASS_LEAST_BINNED (BINS == ONEPASS_LUMINANCE_FINE_BINS ? 2.3283064365386963e-10 : ONEPASS_LEAST_NORMAL)
#define ONEPASS_MOST_BINNED (BINS == ONEPASS_LUMINANCE_FINE_BINS ? 4294967040.0 : 3.402823466e38)

/// Counts a luminance above 0 in the histogram.
void onepass_count_bin(float luminance, uint weight, uint lane) {
  uint bin = onepass_inner_bin(clamp(luminance, ONEPASS_LEAST_BINNED, ONEPASS_MOST_BINNED));
  onepass_add_to_bin(bin, weight, lane);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_LUMINANCE_BINS_GLSL_
