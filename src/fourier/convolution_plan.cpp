// convolution_plan.cpp: validates the options and chooses a domain so wide that its periodic convolution gives the
// requested boundary. Per axis, with n image texels, k kernel texels and origin o:
//
//     kSame:  result u depends on the image at u - (k - 1 - o) ... u + o
//             |<- k-1-o ->|<---------------- n ---------------->|<-- o -->|
//     kZero:  both gaps hold zeros; in a periodic domain one gap, at its end, serves both.
#include <algorithm>
#include <cmath>
#include <string>

#include "fourier/operation_plan.hpp"
#include "image/error.hpp"
#include "onepass/fourier_convolution.hpp"

namespace onepass {
namespace {

// Results in coordinates of the image: [first, end).
struct Results {
  int64_t first = 0;
  int64_t end = 0;
};

Results results_of(int64_t n, int64_t k, int64_t o, ConvolutionMode mode) {
  switch (mode) {
    case ConvolutionMode::kFull:
      return {-o, n + k - 1 - o};
    case ConvolutionMode::kValid:
      return {std::min(n, k) - 1 - o, std::max(n, k) - o};
    default:
      return {0, n};
  }
}

// The next smooth size; `size` itself if that exceeds kMaxTransformSize, 0 if `size` does.
uint32_t domain_of(int64_t size) {
  if (size > kMaxTransformSize) return 0;
  const uint32_t smooth = next_smooth_size(static_cast<uint32_t>(size));
  return smooth <= kMaxTransformSize ? smooth : static_cast<uint32_t>(size);
}

ConvolutionAxis plan_zero_axis(int64_t n, int64_t k, int64_t o, const Results& results) {
  // Kernel texel j adds image texel u - (j - o) to result u. Drops kernel texels that never meet the image.
  const int64_t first = std::max<int64_t>(0, results.first - (n - 1) + o);
  const int64_t last = std::min<int64_t>(k - 1, results.end - 1 + o);
  k = last - first + 1;
  o -= first;
  const int64_t shift = std::max<int64_t>(0, -results.first);
  const int64_t count = results.end - results.first;
  const int64_t least =
      std::max({results.end + o, n + (k - 1 - o) - results.first, n, k, shift + n, shift + results.first + count});
  return {.domain = domain_of(least),
          .placement = static_cast<int32_t>(shift),
          .result = static_cast<uint32_t>(shift + results.first),
          .result_size = static_cast<uint32_t>(count),
          .kernel_first = static_cast<uint32_t>(first),
          .kernel_size = static_cast<uint32_t>(k),
          .kernel_origin = static_cast<int32_t>(o)};
}

Result<void> check_kernel(const ConvolutionOptions& o, uint32_t image_channels) {
  if (o.kernel_size.width == 0 || o.kernel_size.height == 0 || o.kernel_size.width > kMaxTransformSize ||
      o.kernel_size.height > kMaxTransformSize) {
    return invalid("kernel_size: " + size_text(o.kernel_size) + " is not within 1 and " +
                   std::to_string(kMaxTransformSize));
  }
  const FormatInfo& kernel = format_info(o.kernel);
  if (kernel.channels == 0) return invalid("kernel: no such format");
  const uint32_t colours = image_channels == 4 ? 3 : image_channels;
  if (o.kernel_channels == KernelChannels::kPerChannel && kernel.channels < colours) {
    return invalid("kernel: " + std::string(kernel.name) + " has " + std::to_string(kernel.channels) +
                   " channels, but kernels per channel need " + std::to_string(colours));
  }
  if (o.kernel_origin) {
    const Offset at = *o.kernel_origin;
    if (at.x < 0 || at.y < 0 || static_cast<uint32_t>(at.x) >= o.kernel_size.width ||
        static_cast<uint32_t>(at.y) >= o.kernel_size.height) {
      return invalid("kernel_origin: " + std::to_string(at.x) + "," + std::to_string(at.y) + " is outside of " +
                     size_text(o.kernel_size));
    }
  }
  return {};
}

Result<void> check_modes(const ConvolutionOptions& o) {
  if (auto known = check_enumerators("boundary", o.boundary, "mode", o.mode, "scale", o.scale, "kernel_channels",
                                     o.kernel_channels, "alpha", o.alpha);
      !known)
    return known.error();
  if (!std::isfinite(o.mix)) return invalid("mix: " + std::to_string(o.mix) + " is not finite");
  if (o.mix != 1.0F && o.mode != ConvolutionMode::kSame) {
    return invalid("mix: " + std::to_string(o.mix) + " needs the mode same, where image and result match");
  }
  const bool wider = o.kernel_size.width > o.size.width, higher = o.kernel_size.height > o.size.height;
  const bool narrower = o.kernel_size.width < o.size.width, lower = o.kernel_size.height < o.size.height;
  if (o.mode == ConvolutionMode::kValid && ((wider && lower) || (narrower && higher))) {
    return invalid("mode: valid, but the kernel of " + size_text(o.kernel_size) + " neither fits the image of " +
                   size_text(o.size) + " nor holds it");
  }
  return {};
}

}  // namespace

Result<void> check_convolution(const ConvolutionOptions& options, uint32_t image_channels) {
  auto checked = check_modes(options);
  if (checked) checked = check_kernel(options, image_channels);
  return checked;
}

ConvolutionAxis plan_convolution_axis(uint32_t image, uint32_t kernel, uint32_t origin, Boundary boundary,
                                      ConvolutionMode mode) {
  const int64_t n = image;
  const int64_t k = kernel;
  const int64_t o = origin;
  const Results results = results_of(n, k, o, mode);
  if (boundary == Boundary::kZero || mode == ConvolutionMode::kValid) return plan_zero_axis(n, k, o, results);
  ConvolutionAxis axis{.kernel_size = kernel, .kernel_origin = static_cast<int32_t>(o)};
  axis.result_size = static_cast<uint32_t>(results.end - results.first);
  if (boundary == Boundary::kWrap && mode == ConvolutionMode::kSame && k <= n && next_smooth_size(image) == image) {
    axis.domain = image;  // the image is the periodic domain
    return axis;
  }
  const int64_t before = k - 1 - o - results.first;
  const int64_t after = results.end - n + o;
  axis.domain = domain_of(before + n + after);
  axis.placement = static_cast<int32_t>(before);
  axis.result = static_cast<uint32_t>(before + results.first);
  return axis;
}

Result<ConvolutionPlan> plan_convolution(const ConvolutionOptions& options) {
  // Validates sizes, formats and channels without the kernel.
  TransformOptions image{.size = options.size,
                         .slices = options.slices,
                         .channels = options.channels,
                         .source = options.source,
                         .target = options.target};
  const auto alone = plan_transform(image);
  if (!alone) return alone.error();
  const uint32_t channels = alone->options.channels;
  if (auto checked = check_convolution(options, channels); !checked) return checked.error();

  ConvolutionPlan plan;
  plan.options = options;
  ConvolutionOptions& o = plan.options;
  o.target = alone->options.target;
  o.channels = channels;
  o.kernel_origin = kernel_origin(o.kernel_origin, o.kernel_size);
  plan.x = plan_convolution_axis(o.size.width, o.kernel_size.width, static_cast<uint32_t>(o.kernel_origin->x),
                                 o.boundary, o.mode);
  plan.y = plan_convolution_axis(o.size.height, o.kernel_size.height, static_cast<uint32_t>(o.kernel_origin->y),
                                 o.boundary, o.mode);
  if (plan.x.domain == 0 || plan.y.domain == 0) {
    return invalid("kernel_size: " + size_text(o.kernel_size) + " and the image of " + size_text(o.size) +
                   " need more than " + std::to_string(kMaxTransformSize) + " texels an axis");
  }
  plan.result_size = {plan.x.result_size, plan.y.result_size};
  image.size = {plan.x.domain, plan.y.domain};
  image.target = o.target;
  image.channels = channels == 4 && o.alpha == AlphaPolicy::kPass ? 3 : channels;
  image.crop = {0, 0, o.size.width, o.size.height};
  image.placement = {plan.x.placement, plan.y.placement};
  image.boundary = o.mode == ConvolutionMode::kValid ? Boundary::kZero : o.boundary;
  image.result = {plan.x.result, plan.y.result, plan.x.result_size, plan.y.result_size};
  image.order = SpectrumOrder::kColumns;
  const auto transform = plan_transform(image);
  if (!transform) return transform.error();
  plan.image_transform = transform->options;

  plan.kernel_planes = kernel_planes(o.kernel_channels, image.channels);
  const TransformOptions kernel{
      .size = image.size,
      .channels = plan.kernel_planes,
      .source = float_format(plan.kernel_planes),
      .crop = {0, 0, plan.x.kernel_size, plan.y.kernel_size},
      .placement = {-plan.x.kernel_origin, -plan.y.kernel_origin},
      .order = SpectrumOrder::kColumns,
  };
  const auto kernel_plan = plan_transform(kernel);
  if (!kernel_plan) return kernel_plan.error();
  plan.kernel_transform = kernel_plan->options;
  plan.kernel_bytes = kernel_plan->spectrum_bytes;
  plan.traffic = fused_traffic(*transform);
  plan.traffic.bytes_read += plan.kernel_bytes * o.slices;
  return plan;
}

}  // namespace onepass
