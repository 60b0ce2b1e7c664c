// kernel_names.hpp: the names of the transform kernels in kernels.cmake.
// tests/fourier/fourier_kernel_names_test.cpp finds names without a kernel.
#pragma once

#include <string>

#include "fourier/dispatch_plan.hpp"
#include "fourier/fourier_operation_params.h"

namespace onepass::fourier {

/// Properties of a stage's kernel besides its layout.
struct StageKernel {
  bool buffer = false;  ///< Row stages: source or target is a buffer instead of an image.
  bool over = false;    ///< Rows inverse: the result is combined with a source image.
};

/// The name "fourier_[four_step_|ping_pong_]STAGE_SIGNALS[_bluestein]", for example "fourier_four_step_rows_forward_2".
/// Rows of buffers and columns have one kernel for both directions. Ping-pong: the kernel of the first and last
/// dispatch.
std::string stage_kernel_name(const StageLayout& layout, const StageKernel& kernel);

/// The kernel of the dispatches of ping-pong between the first and the last.
inline constexpr const char* kPingPongPassKernel = "fourier_ping_pong_pass";

/// The kernel of a step of ONEPASS_TEXELS_..., which is a specialization constant.
inline const char* texel_kernel(uint32_t step) {
  if (step == ONEPASS_TEXELS_LOAD || step == ONEPASS_TEXELS_LOGARITHM) return "fourier_texels_load";
  if (step == ONEPASS_TEXELS_STORE || step == ONEPASS_TEXELS_EXPONENTIAL) return "fourier_texels_store";
  return "fourier_texels";
}

/// The kernels of the steps of ONEPASS_CORRELATION_...: of LUMINANCE, and of all others.
inline constexpr const char* kCorrelationImagesKernel = "fourier_correlation_images";
inline constexpr const char* kCorrelationKernel = "fourier_correlation";

}  // namespace onepass::fourier
