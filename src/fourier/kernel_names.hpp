// kernel_names.hpp: the names of the transform kernels in kernels.cmake.
// tests/fourier_kernel_names_test.cpp finds names without a kernel.
#pragma once

#include <iterator>
#include <string>

#include "fourier/dispatch_plan.hpp"
#include "fourier/fourier_operation_params.h"

namespace onepass::fourier {

/// Properties of a stage's kernel besides its layout.
struct StageKernel {
  bool buffer = false;   ///< Row stages: source or target is a buffer instead of an image.
  bool over = false;     ///< Rows inverse: the result is combined with a source image.
  bool counted = false;  ///< Count the traffic.
};

/// The name "fourier_[four_step_|ping_pong_]STAGE_[buffer_|over_]SIGNALS[_bluestein][_counted]", for example
/// "fourier_four_step_rows_forward_buffer_2".
std::string stage_kernel_name(const StageLayout& layout, const StageKernel& kernel);

/// From step ONEPASS_TEXELS_LOAD on.
inline constexpr const char* kTexelKernels[] = {
    "fourier_texels_load",   "fourier_texels_logarithm",   "fourier_texels_start",
    "fourier_texels_divide", "fourier_texels_correct",     "fourier_texels_blend",
    "fourier_texels_store",  "fourier_texels_exponential", "fourier_texels_brightest"};
static_assert(std::size(kTexelKernels) == ONEPASS_TEXELS_BRIGHTEST);
inline const char* texel_kernel(uint32_t step) { return kTexelKernels[step - ONEPASS_TEXELS_LOAD]; }

/// From step ONEPASS_CORRELATION_LUMINANCE on.
inline constexpr const char* kCorrelationKernels[] = {
    "fourier_correlation_luminance", "fourier_correlation_mean",    "fourier_correlation_window",
    "fourier_correlation_power",     "fourier_correlation_product", "fourier_correlation_count",
    "fourier_correlation_scale",     "fourier_correlation_peak",    "fourier_correlation_highest",
    "fourier_correlation_nearest",   "fourier_correlation_result"};
static_assert(std::size(kCorrelationKernels) == ONEPASS_CORRELATION_RESULT);

}  // namespace onepass::fourier
