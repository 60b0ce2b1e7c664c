// kernel_weights.cpp: one pass over a kernel image checks its weights, sums them in double and keeps the part that can
// reach a result; then the sums scale that part. Edge tapers come from the autocorrelation of the kernel's profiles.
#include "fourier/kernel_weights.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numbers>
#include <string>
#include <vector>

#include "cpu/views.hpp"
#include "fourier/operation_plan.hpp"

namespace onepass {
namespace {

// Parameters of prepare_kernel().
struct KernelRequest {
  Rect part;            ///< Part that is returned; sums are of the whole kernel.
  uint32_t planes = 1;  ///< 1 to 4: R, G, B, luminance.
  bool shared = true;   ///< One plane, the luminance.
  double scale = 1;     ///< On top of unit_sum.
  bool unit_sum = false;
  bool per_channel = false;  ///< unit_sum: normalise each plane by its own sum.
};

// Weights from one texel of a kernel.
void weights_of(const float* rgba, uint32_t channels, const KernelRequest& request, double* weights) {
  const double luminance = signal_value(rgba, channels);
  for (uint32_t c = 0; c < request.planes; ++c) weights[c] = request.shared || c == 3 ? luminance : double{rgba[c]};
}

std::string texel_text(uint32_t x, uint32_t y) { return "(" + std::to_string(x) + ", " + std::to_string(y) + ")"; }

// Kernel weights as floats. Errors: kBadData, naming what is wrong with the weights; kOutOfMemory.
Result<Image> prepare_kernel(const ImageView& kernel, const KernelRequest& request) try {
  auto image = Image::create(float_format(request.planes), {request.part.width, request.part.height});
  if (!image) return image.error();
  const uint32_t width = kernel.size.width;
  const uint32_t stored = format_info(image->format()).channels;
  const uint32_t channels = texel_info(kernel.format).channels;
  std::vector<float> row(size_t{4} * width);
  double sums[4] = {};
  double weights[4] = {};
  for (uint32_t y = 0; y < kernel.size.height; ++y) {
    decode_row(kernel.format, kernel.row(y), width, row.data());
    const bool in_rows = y >= request.part.y && y - request.part.y < request.part.height;
    auto* out = in_rows ? reinterpret_cast<float*>(image->view().row(y - request.part.y)) : nullptr;
    for (uint32_t x = 0; x < width; ++x) {
      weights_of(&row[size_t{4} * x], channels, request, weights);
      const bool kept = in_rows && x >= request.part.x && x - request.part.x < request.part.width;
      for (uint32_t c = 0; c < stored; ++c) {
        const double weight = c < request.planes ? weights[c] : 0.0;
        if (!std::isfinite(weight)) {
          return Error{ErrorCode::kBadData, "the weight at texel " + texel_text(x, y) + " is not finite", "kernel"};
        }
        sums[c] += weight;
        if (kept) out[size_t{x - request.part.x} * stored + c] = static_cast<float>(weight);
      }
    }
  }
  double factors[4] = {request.scale, request.scale, request.scale, request.scale};
  if (request.unit_sum) {
    const uint32_t colours = request.planes == 4 ? 3 : request.planes;
    double mean = 0;
    for (uint32_t c = 0; c < colours; ++c) mean += sums[c] / colours;
    for (uint32_t c = 0; c < request.planes; ++c) {
      const double sum = request.per_channel || c == 3 ? sums[c] : mean;
      if (!(std::fabs(sum) > 1e-30)) {
        return Error{ErrorCode::kBadData, "the weights of channel " + std::to_string(c) + " sum to 0", "kernel"};
      }
      factors[c] /= sum;
    }
  }
  for (uint32_t y = 0; y < request.part.height; ++y) {
    auto* out = reinterpret_cast<float*>(image->view().row(y));
    for (size_t i = 0; i < size_t{request.part.width} * stored; ++i) {
      out[i] = static_cast<float>(out[i] * factors[i % stored]);
    }
  }
  return image;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a kernel", ""};
}

// 1 - the normalised autocorrelation of a kernel's profile, with period n - 1: 0 at both ends of 0 .. n - 1. A kernel
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
  if (auto good = cpu::check_color_view("kernel", kernel, o.kernel, o.kernel_size, 1); !good) return good.error();
  return prepare_kernel(kernel,
                        {.part = {plan.x.kernel_first, plan.y.kernel_first, plan.x.kernel_size, plan.y.kernel_size},
                         .planes = plan.kernel_planes,
                         .shared = o.kernel_channels == KernelChannels::kShared,
                         .scale = o.mix,
                         .unit_sum = o.scale != KernelScale::kNone,
                         .per_channel = o.scale == KernelScale::kUnitSumPerChannel});
}

Result<Image> deconvolution_weights(const DeconvolutionPlan& plan, const ImageView& kernel) {
  const DeconvolutionOptions& o = plan.options;
  if (auto good = cpu::check_color_view("kernel", kernel, o.kernel, o.kernel_size, 1); !good) return good.error();
  auto weights = prepare_kernel(kernel, {.part = {0, 0, o.kernel_size.width, o.kernel_size.height},
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
