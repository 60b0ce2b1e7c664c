// kernel_weights.hpp: weights of kernel images as both engines transform them.
#pragma once

#include <vector>

#include "onepass/fourier_convolution.hpp"
#include "onepass/fourier_correlation.hpp"
#include "onepass/fourier_deconvolution.hpp"

namespace onepass {

/// The part of a kernel that can reach a result, scaled as asked for, as the plan's kernel transform takes it.
/// Errors: those of Convolver::set_kernel.
[[nodiscard]] Result<Image> convolution_weights(const ConvolutionPlan& plan, const ImageView& kernel);

/// A blur, each plane scaled to sum 1. Errors: those of Deconvolver::set_kernel.
[[nodiscard]] Result<Image> deconvolution_weights(const DeconvolutionPlan& plan, const ImageView& kernel);

/// kTaper: what the image is blurred with towards its edges.
[[nodiscard]] ConvolutionOptions edge_blur_options(const DeconvolutionPlan& plan, Format weights);

/// kTaper: the image's share of a texel is the product of these.
struct EdgeTaper {
  std::vector<double> x;
  std::vector<double> y;
};
[[nodiscard]] EdgeTaper edge_taper(Extent size, const ImageView& weights);

/// Weights of an axis of n texels before a correlation.
[[nodiscard]] std::vector<double> correlation_window(uint32_t n, CorrelationWindow window);

}  // namespace onepass
