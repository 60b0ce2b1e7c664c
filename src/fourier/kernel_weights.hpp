// kernel_weights.hpp: weights of kernel images, edge tapers and correlation windows, for both engines.
#pragma once

#include <vector>

#include "onepass/fourier_convolution.hpp"
#include "onepass/fourier_correlation.hpp"
#include "onepass/fourier_deconvolution.hpp"

namespace onepass {

/// Weights of the part of a kernel that can reach a result, scaled by the options, for the plan's kernel transform.
/// Errors: those of Convolver::set_kernel.
[[nodiscard]] Result<Image> convolution_weights(const ConvolutionPlan& plan, const ImageView& kernel);

/// Weights of a blur, each plane scaled to sum 1. Errors: those of Deconvolver::set_kernel.
[[nodiscard]] Result<Image> deconvolution_weights(const DeconvolutionPlan& plan, const ImageView& kernel);

/// kTaper: options of the convolution that blurs the image for its edges.
[[nodiscard]] ConvolutionOptions edge_blur_options(const DeconvolutionPlan& plan, Format weights);

/// kTaper: texel (i, j) is a share x[i] * y[j] of the image; the rest is the blurred image.
struct EdgeTaper {
  std::vector<double> x;
  std::vector<double> y;
};
[[nodiscard]] EdgeTaper edge_taper(Extent size, const ImageView& weights);

/// The signal of a texel: luminance by Rec. 709, or the first of one or two channels.
inline double signal_value(const float* rgba, uint32_t channels) {
  return channels < 3 ? double{rgba[0]} : 0.2126 * rgba[0] + 0.7152 * rgba[1] + 0.0722 * rgba[2];
}

/// Window weights of an axis of n texels.
[[nodiscard]] std::vector<double> correlation_window(uint32_t n, CorrelationWindow window);

}  // namespace onepass
