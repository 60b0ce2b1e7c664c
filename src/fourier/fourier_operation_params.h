// fourier_operation_params.h: what the kernels of operations on spectra and their hosts agree on, for C++ and GLSL alike.
#ifndef ONEPASS_FOURIER_OPERATION_PARAMS_H_
#define ONEPASS_FOURIER_OPERATION_PARAMS_H_

#include "onepass/fourier_params.h"

#ifdef __cplusplus
namespace onepass::fourier {
#endif

// OPERATION: what happens to a frequency. "Planes": a kernel for each channel; else one serves all.
#define ONEPASS_OPERATION_NONE 0u
#define ONEPASS_OPERATION_KERNEL 1u
#define ONEPASS_OPERATION_KERNEL_CONJUGATE 2u
#define ONEPASS_OPERATION_PLANES 3u
#define ONEPASS_OPERATION_PLANES_CONJUGATE 4u
#define ONEPASS_OPERATION_FILTER 5u

#define ONEPASS_FOURIER_STEP_GROUP 256  // invocations of every kernel of steps

// src/fourier/fourier_spectrum.comp
#define ONEPASS_SPECTRUM_OPERATE 0u
#define ONEPASS_SPECTRUM_MIX 1u
#define ONEPASS_SPECTRUM_INVERT 2u

struct SpectrumParams {
  uint2 size;    // of the domain
  uint count;    // pairs of all slices
  float amount;  // MIX: added to every value. INVERT: noise
  uint flat_prior;
};

// src/fourier/fourier_texels.comp; macros, because what is bound differs
#define ONEPASS_TEXELS_LOAD 1
#define ONEPASS_TEXELS_LOGARITHM 2
#define ONEPASS_TEXELS_START 3
#define ONEPASS_TEXELS_DIVIDE 4
#define ONEPASS_TEXELS_CORRECT 5
#define ONEPASS_TEXELS_BLEND 6
#define ONEPASS_TEXELS_STORE 7
#define ONEPASS_TEXELS_EXPONENTIAL 8
#define ONEPASS_TEXELS_BRIGHTEST 9

struct TexelParams {
  uint2 size;      // of the image
  uint2 estimate;  // of the image and its margins
  int2 offset;     // of the image in the estimate
  float amount;    // LOAD: the least value. LOGARITHM, EXPONENTIAL: the offset
};

// src/fourier/fourier_correlation.comp
#define ONEPASS_CORRELATION_LUMINANCE 1
#define ONEPASS_CORRELATION_MEAN 2
#define ONEPASS_CORRELATION_WINDOW 3
#define ONEPASS_CORRELATION_POWER 4
#define ONEPASS_CORRELATION_PRODUCT 5
#define ONEPASS_CORRELATION_COUNT 6
#define ONEPASS_CORRELATION_SCALE 7
#define ONEPASS_CORRELATION_PEAK 8
#define ONEPASS_CORRELATION_HIGHEST 9
#define ONEPASS_CORRELATION_NEAREST 10
#define ONEPASS_CORRELATION_RESULT 11
#define ONEPASS_CORRELATION_VALUES 16  // of an invocation, where sums are made
#define ONEPASS_CORRELATION_TIE 1e-5f  // more than rounding adds to a correlation

struct CorrelationParams {
  uint2 size;
  uint count;    // of what the step goes through: texels, frequencies
  uint groups;   // that left a partial result
  float weight;  // 1 / sum of the window
  float texels;
  float least;  // magnitudes of frequencies that count
  uint phase;
};

// What a correlation leaves in the result: read by the host.
struct CorrelationResult {
  uint bad_first;   // first texel that is not a number of sensible size, or ~0
  uint bad_second;
  uint index;       // of the peak, a largest c
  float value;
  float left, right, above, below;  // of it, around the circle
  float range_x, range_y;           // of all values of its row, of its column
};

#ifdef __cplusplus
static_assert(sizeof(SpectrumParams) == 24 && sizeof(TexelParams) == 32 && sizeof(CorrelationParams) == 32 &&
                  sizeof(CorrelationResult) == 40,
              "must match the std430 layout in the shader");
}  // namespace onepass::fourier
#endif
#endif  // ONEPASS_FOURIER_OPERATION_PARAMS_H_
