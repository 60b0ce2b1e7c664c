// fourier_operation_params.h: constants and push constants of the operations on spectra, shared by C++ and GLSL.
#ifndef ONEPASS_FOURIER_OPERATION_PARAMS_H_
#define ONEPASS_FOURIER_OPERATION_PARAMS_H_

#include "onepass/fourier_params.h"

#ifdef __cplusplus
namespace onepass::fourier {
#endif

// OPERATION, on a frequency. KERNEL: one kernel for all channels. PLANES: one kernel per channel.
#define ONEPASS_OPERATION_NONE 0u
#define ONEPASS_OPERATION_KERNEL 1u
#define ONEPASS_OPERATION_KERNEL_CONJUGATE 2u
#define ONEPASS_OPERATION_PLANES 3u
#define ONEPASS_OPERATION_PLANES_CONJUGATE 4u
#define ONEPASS_OPERATION_FILTER 5u

#define ONEPASS_FOURIER_STEP_GROUP 256  // invocations per workgroup of all steps

// src/fourier/fourier_spectrum.comp
#define ONEPASS_SPECTRUM_OPERATE 0u
#define ONEPASS_SPECTRUM_MIX 1u
#define ONEPASS_SPECTRUM_INVERT 2u

struct SpectrumParams {
  uint2 size;    // size of the domain
  uint count;    // pairs of all slices together
  float amount;  // MIX: added to every value. INVERT: noise
  uint flat_prior;
};

// src/fourier/fourier_texels.comp
#define ONEPASS_TEXELS_LOAD 1u
#define ONEPASS_TEXELS_LOGARITHM 2u
#define ONEPASS_TEXELS_START 3u
#define ONEPASS_TEXELS_DIVIDE 4u
#define ONEPASS_TEXELS_CORRECT 5u
#define ONEPASS_TEXELS_BLEND 6u
#define ONEPASS_TEXELS_STORE 7u
#define ONEPASS_TEXELS_EXPONENTIAL 8u
#define ONEPASS_TEXELS_BRIGHTEST 9u

struct TexelParams {
  uint2 size;      // size of the image
  uint2 estimate;  // size of the image with its margins
  int2 offset;     // position of the image in the estimate
  float amount;    // LOAD: the smallest value. LOGARITHM, EXPONENTIAL: the offset. START: a constant, or 0: the image
};

// The constant first estimate of Richardson-Lucy, in units of the power of 2 below the brightest value. Any constant
// gives the same next estimate. This one is small, because texels of margins that hardly reach the image keep it.
#define ONEPASS_DECONVOLUTION_CONSTANT 9.765625e-4f  // 2^-10

// src/fourier/fourier_correlation.comp
#define ONEPASS_CORRELATION_LUMINANCE 1u
#define ONEPASS_CORRELATION_MEAN 2u
#define ONEPASS_CORRELATION_WINDOW 3u
#define ONEPASS_CORRELATION_POWER 4u
#define ONEPASS_CORRELATION_PRODUCT 5u
#define ONEPASS_CORRELATION_COUNT 6u
#define ONEPASS_CORRELATION_SCALE 7u
#define ONEPASS_CORRELATION_PEAK 8u
#define ONEPASS_CORRELATION_HIGHEST 9u
#define ONEPASS_CORRELATION_NEAREST 10u
#define ONEPASS_CORRELATION_RESULT 11u
#define ONEPASS_CORRELATION_VALUES 16  // items per invocation in reducing steps
#define ONEPASS_CORRELATION_TIE 1e-5f  // more than the rounding error of a correlation

struct CorrelationParams {
  uint2 size;
  uint count;    // items of the step: texels or frequencies
  uint groups;   // workgroups with a partial result
  float weight;  // 1 / sum of the window
  float texels;
  float least;  // frequencies of at most this magnitude count as empty
  uint phase;
};

// The result of a correlation, read by the host.
struct CorrelationResult {
  uint bad_first;  // first texel that is NaN or beyond +-1e18; ~0: none
  uint bad_second;
  uint index;  // texel index of the peak
  float value;
  float left, right, above, below;  // its neighbours, wrapped around
  float range_x, range_y;           // largest less smallest c of its row, of its column
};

#ifdef __cplusplus
static_assert(sizeof(SpectrumParams) == 24 && sizeof(TexelParams) == 32 && sizeof(CorrelationParams) == 32 &&
                  sizeof(CorrelationResult) == 40,
              "must match the std430 layout in the shader");
}  // namespace onepass::fourier
#endif
#endif  // ONEPASS_FOURIER_OPERATION_PARAMS_H_
