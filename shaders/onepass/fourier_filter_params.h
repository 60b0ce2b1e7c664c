// fourier_filter_params.h: the parameters of a frequency filter, shared by C++ and GLSL: std430, 576 bytes.
#ifndef ONEPASS_FOURIER_FILTER_PARAMS_H_
#define ONEPASS_FOURIER_FILTER_PARAMS_H_

#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names.glsl"
#endif

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
#include <cstddef>
#include <cstdint>
namespace onepass {
namespace fourier_filter {
using uint = uint32_t;
struct alignas(16) float4 {
  float x, y, z, w;
};
}  // namespace fourier_filter
#define ONEPASS_FILTER_UINT fourier_filter::uint
#define ONEPASS_FILTER_FLOAT4 fourier_filter::float4
#else
#define ONEPASS_FILTER_UINT uint
#define ONEPASS_FILTER_FLOAT4 onepass_float4
#endif

#define ONEPASS_GAIN_ALL 0u
#define ONEPASS_GAIN_LOW_PASS 1u
#define ONEPASS_GAIN_HIGH_PASS 2u
#define ONEPASS_GAIN_BAND_PASS 3u
#define ONEPASS_GAIN_BAND_STOP 4u

#define ONEPASS_GAIN_IDEAL 0u
#define ONEPASS_GAIN_BUTTERWORTH 1u
#define ONEPASS_GAIN_GAUSSIAN 2u

#define ONEPASS_FILTER_MOST_NOTCHES 32

struct FourierFilterParams {
  ONEPASS_FILTER_UINT band;
  ONEPASS_FILTER_UINT shape;
  ONEPASS_FILTER_UINT order;  // Butterworth, 1 to 64
  ONEPASS_FILTER_UINT notch_count;
  float cutoff_squared;  // low- and high-pass: square of the cutoff, (cycles per texel)^2
  float centre_squared;  // bands: product of the cutoffs
  float band_width;      // bands: difference of the cutoffs, cycles per texel
  float lowest;          // ideal bands: squares of the lower and the upper cutoff
  float highest;
  float stop_gain;
  float pass_gain;
  float dc_gain;  // gain of frequency 0; negative: as the formula gives it
  ONEPASS_FILTER_UINT unused0, unused1, unused2, unused3;
  ONEPASS_FILTER_FLOAT4 notches[ONEPASS_FILTER_MOST_NOTCHES];  // fx, fy, radius^2, 1 if -f is a second notch
};

#if defined(__cplusplus) && !defined(ONEPASS_CUDA)
static_assert(sizeof(FourierFilterParams) == 576 && offsetof(FourierFilterParams, notches) == 64,
              "must match the std430 layout in the shader");
}  // namespace onepass
#endif
#if !defined(__cplusplus) || defined(ONEPASS_CUDA)
#include "onepass/prelude_names_end.glsl"
#endif
#endif  // ONEPASS_FOURIER_FILTER_PARAMS_H_
