// deconvolution_plan.cpp: validates a deconvolution's options; chooses its domain and margins, plans its transforms.
#include <cmath>
#include <string>

#include "fourier/kernel_weights.hpp"
#include "fourier/operation_plan.hpp"
#include "image/error.hpp"
#include "onepass/fourier_deconvolution.hpp"

namespace onepass {
namespace {

Result<void> check_method(const DeconvolutionOptions& o) {
  if (auto known = check_enumerators("method", o.method, "prior", o.prior, "edges", o.edges, "start", o.start); !known)
    return known.error();
  const bool wiener = o.method == DeconvolutionMethod::kWiener;
  if (wiener && o.edges == DeconvolutionEdges::kUnknown) return invalid("edges: unknown is for Richardson-Lucy");
  if (!wiener && (o.edges == DeconvolutionEdges::kMirror || o.edges == DeconvolutionEdges::kTaper)) {
    return invalid("edges: mirror and taper are for Wiener");
  }
  if (!(o.noise >= 0) || !std::isfinite(o.noise)) {
    return invalid("noise: " + number_text(o.noise) + " is not 0 or more");
  }
  if (o.iterations < 1 || o.iterations > 10000) {
    return invalid("iterations: " + std::to_string(o.iterations) + " is not within 1 and 10000");
  }
  return {};
}

void add(Traffic& sum, const TransformPlan& pass, uint64_t kernel_bytes, uint64_t times) {
  const Traffic one = fused_traffic(pass);
  sum.bytes_read += times * (one.bytes_read + kernel_bytes);
  sum.bytes_written += times * one.bytes_written;
}

// Chooses domain and estimate. With kUnknown the estimate has n + k - 1 texels: margins as far as the kernel reaches.
Result<void> lay_out(DeconvolutionPlan& plan) {
  const DeconvolutionOptions& o = plan.options;
  plan.estimate = o.size;
  plan.domain = o.size;
  if (o.edges == DeconvolutionEdges::kMirror) plan.domain = {2 * o.size.width, 2 * o.size.height};
  if (o.edges == DeconvolutionEdges::kUnknown) {
    plan.estimate = {o.size.width + o.kernel_size.width - 1, o.size.height + o.kernel_size.height - 1};
    plan.image_in_estimate = {static_cast<int32_t>(o.kernel_size.width) - 1 - o.kernel_origin->x,
                              static_cast<int32_t>(o.kernel_size.height) - 1 - o.kernel_origin->y};
    plan.domain = {next_smooth_size(plan.estimate.width), next_smooth_size(plan.estimate.height)};
  }
  if (plan.domain.width > kMaxTransformSize || plan.domain.height > kMaxTransformSize) {
    return invalid("size: " + size_text(o.size) + " needs a domain of " + size_text(plan.domain) + ", more than " +
                   std::to_string(kMaxTransformSize) + " texels an axis");
  }
  if (o.kernel_size.width > plan.domain.width || o.kernel_size.height > plan.domain.height) {
    return invalid("kernel_size: " + size_text(o.kernel_size) + " is larger than " + size_text(plan.domain));
  }
  return {};
}

}  // namespace

Result<DeconvolutionPlan> plan_deconvolution(const DeconvolutionOptions& options) {
  // Formats, sizes and the kernel are checked as for a convolution.
  const ConvolutionOptions blur{.size = options.size,
                                .slices = options.slices,
                                .channels = options.channels,
                                .source = options.source,
                                .target = options.target,
                                .kernel_size = options.kernel_size,
                                .kernel = options.kernel,
                                .kernel_origin = options.kernel_origin,
                                .kernel_channels = options.kernel_channels,
                                .alpha = options.alpha};
  const auto alone = plan_transform({.size = options.size,
                                     .slices = options.slices,
                                     .channels = options.channels,
                                     .source = options.source,
                                     .target = options.target});
  if (!alone) return alone.error();
  auto checked = check_convolution(blur, alone->options.channels);
  if (checked) checked = check_method(options);
  if (!checked) return checked.error();

  DeconvolutionPlan plan;
  plan.options = options;
  DeconvolutionOptions& o = plan.options;
  o.target = alone->options.target;
  o.channels = alone->options.channels;
  o.kernel_origin = kernel_origin(o.kernel_origin, o.kernel_size);
  const bool wiener = o.method == DeconvolutionMethod::kWiener;
  if (o.edges == DeconvolutionEdges::kAuto) {
    const bool fits = o.kernel_size.width <= o.size.width && o.kernel_size.height <= o.size.height;
    o.edges = !wiener ? DeconvolutionEdges::kUnknown : fits ? DeconvolutionEdges::kTaper : DeconvolutionEdges::kMirror;
  }
  if (auto good = lay_out(plan); !good) return good.error();

  const uint32_t channels = o.channels == 4 && o.alpha == AlphaPolicy::kPass ? 3 : o.channels;
  plan.blur = {.size = plan.domain,
               .slices = o.slices,
               .channels = channels,
               .source = o.source,
               .target = o.target,
               .crop = {0, 0, o.size.width, o.size.height},
               .boundary = o.edges == DeconvolutionEdges::kMirror ? Boundary::kMirror : Boundary::kZero,
               .result = {0, 0, o.size.width, o.size.height},
               .order = SpectrumOrder::kColumns};
  if (o.edges == DeconvolutionEdges::kTaper) plan.blur.source = float_format(channels);
  if (!wiener) {
    // An iteration blurs the estimate to the size of the image, and its adjoint takes the correction back.
    plan.blur.source = plan.blur.target = float_format(channels);
    plan.adjoint = plan.blur;
    plan.blur.crop = {0, 0, plan.estimate.width, plan.estimate.height};
    plan.blur.result = {static_cast<uint32_t>(plan.image_in_estimate.x),
                        static_cast<uint32_t>(plan.image_in_estimate.y), o.size.width, o.size.height};
    plan.adjoint.placement = plan.image_in_estimate;
    plan.adjoint.result = plan.blur.crop;
  }
  const uint32_t planes = kernel_planes(o.kernel_channels, channels);
  const auto kernel_plan = plan_transform({.size = plan.domain,
                                           .channels = planes,
                                           .source = float_format(planes),
                                           .crop = {0, 0, o.kernel_size.width, o.kernel_size.height},
                                           .placement = {-o.kernel_origin->x, -o.kernel_origin->y},
                                           .order = SpectrumOrder::kColumns});
  if (!kernel_plan) return kernel_plan.error();
  plan.kernel_transform = kernel_plan->options;
  if (o.edges == DeconvolutionEdges::kTaper) {
    const auto edge = plan_convolution(edge_blur_options(plan, o.kernel));
    if (!edge) return edge.error();
  }
  const uint64_t kernel_bytes = kernel_plan->spectrum_bytes * o.slices;
  const auto forth = plan_transform(plan.blur);
  if (!forth) return forth.error();
  plan.passes = 1;
  if (wiener) {
    add(plan.traffic, *forth, kernel_bytes, 1);
    return plan;
  }
  const auto back = plan_transform(plan.adjoint);
  if (!back) return back.error();
  // Unknown edges need one further adjoint pass, for the share of each texel's blur that lands on the image.
  const uint32_t masks = o.edges == DeconvolutionEdges::kUnknown ? 1 : 0;
  plan.passes = 2 * o.iterations + masks;
  add(plan.traffic, *forth, kernel_bytes, o.iterations);
  add(plan.traffic, *back, kernel_bytes, uint64_t{o.iterations} + masks);
  return plan;
}

}  // namespace onepass
