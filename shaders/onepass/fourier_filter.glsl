// fourier_filter.glsl: the gain of a filter (low-pass, high-pass, bands, notches) at one frequency. The CPU engine
// includes this file as C++ (src/fourier/filter_gain.hpp): it uses only operations that GLSL and C++ share.
//
// Define before including it:
//     ONEPASS_FILTER_PARAMS     an expression of type FourierFilterParams: a buffer's member, a global;
//                               make_filter_params() of onepass/fourier_filter.hpp fills it
// Then   float onepass_filter_gain(float fx, float fy)   is the gain at (fx, fy) cycles per texel, |f| <= 0.5.
//
// Accuracy: powers are products and the exponential is a polynomial, independent of a device's pow and exp. With
// division within 2.5 ULP, as Vulkan requires, the gain is within 1e-6 of the formulas of onepass/fourier_filter.hpp up
// to order 8 and within 8e-6 at order 64; for bands and notches, of the formula at a frequency at most 2^-22 cycles per
// texel away. Nothing overflows, and no loop count depends on the frequency.
#ifndef ONEPASS_FOURIER_FILTER_GLSL_
#define ONEPASS_FOURIER_FILTER_GLSL_

#ifndef __cplusplus
#include "onepass/prelude_types.glsl"
#include "onepass/fourier_filter_params.h"
#include "onepass/prelude_names.glsl"
#endif

// Fused multiply-add must not decide whether a frequency is within an ideal cutoff.
#ifdef __cplusplus
#define ONEPASS_FILTER_PRECISE
#else
#define ONEPASS_FILTER_PRECISE precise
#endif

#define ONEPASS_FILTER_MOST 1.0e18f  // its square is still finite

/// exp(-x) for x >= 0: x = n ln 2 + r, |r| <= ln 2 / 2; a Taylor polynomial of exp(-r) times 2^-n, made from its bits.
float onepass_filter_exp(float x) {
  if (x >= 80.0f) return 0.0f;  // exp(-x) < 2e-35
  float n = floor(x * 1.44269504f + 0.5f);
  float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two parts, the first with few bits
  float sum = 1.0f - r * (1.0f / 7.0f);
  sum = 1.0f - r * (1.0f / 6.0f) * sum;
  sum = 1.0f - r * 0.2f * sum;
  sum = 1.0f - r * 0.25f * sum;
  sum = 1.0f - r * (1.0f / 3.0f) * sum;
  sum = 1.0f - r * 0.5f * sum;
  sum = 1.0f - r * sum;
  return sum * onepass_bits_float((127u - uint(n)) << 23u);
}

/// min(x^order, ONEPASS_FILTER_MOST), x >= 0.
float onepass_filter_power(float x, uint order) {
  float base = min(x, ONEPASS_FILTER_MOST);
  float product = 1.0f;
  for (uint bit = 1u; bit <= 64u; bit *= 2u) {
    if ((order & bit) != 0u) product = min(product * base, ONEPASS_FILTER_MOST);
    base = min(base * base, ONEPASS_FILTER_MOST);
  }
  return product;
}

/// Butterworth or Gaussian low-pass at (frequency / cutoff)^2.
float onepass_filter_roll_off(float ratio_squared) {
  if (ONEPASS_FILTER_PARAMS.shape == ONEPASS_GAIN_GAUSSIAN) return onepass_filter_exp(0.5f * ratio_squared);
  return 1.0f / (1.0f + onepass_filter_power(ratio_squared, ONEPASS_FILTER_PARAMS.order));
}

float onepass_filter_low_pass(float f_squared, float cutoff_squared) {
  if (ONEPASS_FILTER_PARAMS.shape == ONEPASS_GAIN_IDEAL) return f_squared <= cutoff_squared ? 1.0f : 0.0f;
  return onepass_filter_roll_off(f_squared / cutoff_squared);
}

float onepass_filter_band_pass(float f_squared) {
  if (ONEPASS_FILTER_PARAMS.shape == ONEPASS_GAIN_IDEAL) {
    return f_squared >= ONEPASS_FILTER_PARAMS.lowest && f_squared <= ONEPASS_FILTER_PARAMS.highest ? 1.0f : 0.0f;
  }
  float width_squared = f_squared * ONEPASS_FILTER_PARAMS.band_width * ONEPASS_FILTER_PARAMS.band_width;
  float distance = f_squared - ONEPASS_FILTER_PARAMS.centre_squared;
  float ratio_squared = distance * distance / max(width_squared, 1.0e-36f);
  return onepass_filter_roll_off(min(ratio_squared, ONEPASS_FILTER_MOST));
}

/// High-pass around a notch at distance (dx, dy). Spectra are periodic: distances are at most 0.5.
float onepass_filter_notch(float dx, float dy, float radius_squared) {
  float x = dx - floor(dx + 0.5f);
  float y = dy - floor(dy + 0.5f);
  return 1.0f - onepass_filter_low_pass(x * x + y * y, radius_squared);
}

float onepass_filter_gain(float fx, float fy) {
  ONEPASS_FILTER_PRECISE float f_squared = fx * fx + fy * fy;
  float passed = 1.0f;
  uint band = ONEPASS_FILTER_PARAMS.band;
  if (band == ONEPASS_GAIN_LOW_PASS || band == ONEPASS_GAIN_HIGH_PASS) {
    passed = onepass_filter_low_pass(f_squared, ONEPASS_FILTER_PARAMS.cutoff_squared);
  } else if (band != ONEPASS_GAIN_ALL) {
    passed = onepass_filter_band_pass(f_squared);
  }
  if (band == ONEPASS_GAIN_HIGH_PASS || band == ONEPASS_GAIN_BAND_STOP) passed = 1.0f - passed;
  float gain =
      ONEPASS_FILTER_PARAMS.stop_gain + (ONEPASS_FILTER_PARAMS.pass_gain - ONEPASS_FILTER_PARAMS.stop_gain) * passed;
  for (uint i = 0u; i < ONEPASS_FILTER_PARAMS.notch_count; ++i) {
    float4 notch = ONEPASS_FILTER_PARAMS.notches[i];
    gain *= onepass_filter_notch(fx - notch.x, fy - notch.y, notch.z);
    if (notch.w != 0.0f) gain *= onepass_filter_notch(fx + notch.x, fy + notch.y, notch.z);
  }
  bool is_dc = f_squared == 0.0f && ONEPASS_FILTER_PARAMS.dc_gain >= 0.0f;
  return is_dc ? ONEPASS_FILTER_PARAMS.dc_gain : gain;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_FOURIER_FILTER_GLSL_
