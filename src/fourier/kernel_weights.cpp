// kernel_weights.cpp: see kernel_weights.hpp.
#include "fourier/kernel_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cpu/views.hpp"
#include "fourier/cpu_spectral.hpp"

namespace onepass {
namespace {

// 1 - the autocorrelation of a kernel's profile, on a circle of n - 1 texels: 0 at both ends of 0 .. n - 1. A kernel
// that does not blur along the axis needs no taper there.
std::vector<double> taper_axis(const std::vector<double>& profile, uint32_t n) {
  const auto used = std::count_if(profile.begin(), profile.end(), [](double value) { return value != 0; });
  if (n == 1 || used <= 1) return std::vector<double>(n, 1.0);
  std::vector<double> correlation(std::max(n, 2U) - 1);
  const size_t period = correlation.size();
  for (size_t i = 0; i < profile.size(); ++i) {
    for (size_t j = 0; j < profile.size(); ++j)
      correlation[(i + period * profile.size() - j) % period] += profile[i] * profile[j];
  }
  const double most = *std::max_element(correlation.begin(), correlation.end());
  std::vector<double> weights(n);
  for (uint32_t x = 0; x < n; ++x) weights[x] = 1 - correlation[x % period] / most;
  return weights;
}

}  // namespace

Result<Image> convolution_weights(const ConvolutionPlan& plan, const ImageView& kernel) {
  const ConvolutionOptions& o = plan.options;
  if (auto good = cpu::check_view("kernel", kernel, o.kernel, o.kernel_size, 1); !good) return good.error();
  return cpu::prepare_kernel(
      kernel, {.part = {plan.x.kernel_first, plan.y.kernel_first, plan.x.kernel_size, plan.y.kernel_size},
               .planes = plan.kernel_planes,
               .shared = o.kernel_channels == KernelChannels::kShared,
               .scale = o.mix,
               .unit_sum = o.scale != KernelScale::kNone,
               .per_channel = o.scale == KernelScale::kUnitSumPerChannel});
}

Result<Image> deconvolution_weights(const DeconvolutionPlan& plan, const ImageView& kernel) {
  const DeconvolutionOptions& o = plan.options;
  if (auto good = cpu::check_view("kernel", kernel, o.kernel, o.kernel_size, 1); !good) return good.error();
  auto weights = cpu::prepare_kernel(kernel, {.part = {0, 0, o.kernel_size.width, o.kernel_size.height},
                                              .planes = plan.kernel_transform.channels,
                                              .shared = o.kernel_channels == KernelChannels::kShared,
                                              .unit_sum = true,
                                              .per_channel = true});
  if (!weights || o.method == DeconvolutionMethod::kWiener) return weights;
  const auto* values = reinterpret_cast<const float*>(weights->data());
  const size_t count = weights->size_in_bytes() / sizeof(float);
  if (std::any_of(values, values + count, [](float w) { return w < 0; })) {
    return Error{ErrorCode::kBadData, "Richardson-Lucy takes no negative weights", "kernel"};
  }
  return weights;
}

ConvolutionOptions edge_blur_options(const DeconvolutionPlan& plan, Format weights) {
  const DeconvolutionOptions& o = plan.options;
  return {.size = o.size,
          .slices = o.slices,
          .channels = plan.blur.channels,
          .source = plan.blur.source,
          .kernel_size = o.kernel_size,
          .kernel = weights,
          .kernel_origin = o.kernel_origin,
          .boundary = Boundary::kWrap,
          .kernel_channels = o.kernel_channels};
}

EdgeTaper edge_taper(Extent size, const ImageView& weights) {
  std::vector<double> across(weights.size.width);
  std::vector<double> down(weights.size.height);
  const size_t stored = format_info(weights.format).channels;
  for (uint32_t y = 0; y < weights.size.height; ++y) {
    const auto* in = reinterpret_cast<const float*>(weights.row(y));
    for (uint32_t x = 0; x < weights.size.width; ++x) {
      const double mean = stored < 3 ? in[stored * x] : (double{in[4 * x]} + in[4 * x + 1] + in[4 * x + 2]) / 3;
      across[x] += mean;
      down[y] += mean;
    }
  }
  return {taper_axis(across, size.width), taper_axis(down, size.height)};
}

std::vector<double> correlation_window(uint32_t n, CorrelationWindow window) {
  std::vector<double> weights(n, 1.0);
  if (window == CorrelationWindow::kNone) return weights;
  for (uint32_t i = 0; i < n; ++i) {
    const double s = std::sin(std::numbers::pi * (i + 0.5) / n);
    weights[i] = s * s;
  }
  return weights;
}

}  // namespace onepass
