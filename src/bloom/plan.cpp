// plan.cpp: validates the options of a bloom; sizes of the glow, its kernel and its mip chain; bytes of all passes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "bloom/settings.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"

namespace onepass {
namespace {

constexpr float kMostLight = 1e30F;

Result<void> check_numbers(const BloomOptions& o) {
  auto checked = check_range("scatter", o.scatter, 0, 1);
  if (checked) checked = check_range("threshold", o.threshold, 0, kMostLight);
  if (checked) checked = check_range("knee", o.knee, 0, kMostLight);
  if (checked) checked = check_range("kernel_width", o.kernel_width, 1e-4F, 4);
  if (checked) checked = check_range("glare.field_of_view", o.glare.field_of_view, 0.1F, 180);
  if (checked) checked = check_range("spread", o.spread, 0, 1);
  if (checked && o.glare.rays > 64) return invalid("glare.rays: " + std::to_string(o.glare.rays) + " are more than 64");
  return checked;
}

Result<void> check_modes(const BloomOptions& o) {
  if (auto known = check_enumerators("method", o.method, "resolution", o.resolution, "boundary", o.boundary); !known)
    return known.error();
  const bool has_kernel = o.kernel_size != Extent{} || o.kernel != Format::kUndefined;
  if (o.method == BloomMethod::kMipChain) {
    if (has_kernel)
      return invalid("kernel_size: " + size_text(o.kernel_size) + ", but a mip chain has no kernel image");
    if (o.boundary != Boundary::kMirror && o.boundary != Boundary::kClamp) {
      return invalid("boundary: a mip chain takes clamp and mirror");
    }
  }
  if (!has_kernel) return {};
  if (o.kernel_size.width == 0 || o.kernel_size.height == 0 || o.kernel_size.width > 65535 ||
      o.kernel_size.height > 65535) {
    return invalid("kernel_size: " + size_text(o.kernel_size) + " is not within 1 and 65535");
  }
  if (format_info(o.kernel).channels == 0) return invalid("kernel: no such format");
  return {};
}

// Odd, so that the kernel has a centre texel.
uint32_t odd_size(double texels) {
  return 2 * static_cast<uint32_t>(std::clamp(std::round(0.5 * (texels - 1)), 0.0, 16000.0)) + 1;
}

Extent sized_kernel(const BloomOptions& o, Extent glow) {
  const uint32_t width = odd_size(double{o.kernel_width} * glow.width);
  if (o.kernel == Format::kUndefined) return {width, width};
  return {width, odd_size(static_cast<double>(o.kernel_size.height) / o.kernel_size.width * width)};
}

// The tent filter of a level is four of its texels wide.
uint32_t chain_levels(const BloomOptions& o, Extent glow) {
  const auto tents = static_cast<uint32_t>(double{o.kernel_width} * glow.width / 4);
  const auto levels = static_cast<uint32_t>(std::bit_width(std::max(tents, 1U)));
  return std::min(levels, full_level_count(glow));
}

uint64_t bytes_of(Extent size, Format format, uint32_t slices) {
  return uint64_t{size.width} * size.height * slices * format_info(format).bytes_per_texel;
}

void add_composite(BloomPlan& plan) {
  const BloomOptions& o = plan.options;
  plan.traffic.bytes_read += bytes_of(o.size, o.source, o.slices) + bytes_of(plan.glow_size, glow_format(o), o.slices);
  plan.traffic.bytes_written += bytes_of(o.size, o.target, o.slices);
  ++plan.passes;
}

Result<void> plan_kernel(BloomPlan& plan) {
  const BloomOptions& o = plan.options;
  plan.kernel_size = sized_kernel(o, plan.glow_size);
  const auto convolution = plan_convolution(convolution_options(plan));
  if (!convolution) return convolution.error();
  plan.domain = convolution->image_transform.size;
  plan.kernel_bytes = convolution->kernel_bytes;
  plan.traffic = convolution->traffic;
  plan.passes = 3;
  const uint64_t source = bytes_of(o.size, o.source, o.slices);
  if (o.resolution == BloomResolution::kFull) {
    plan.traffic.bytes_read += source;  // the composite reads it again
    return {};
  }
  plan.traffic.bytes_read += source - bytes_of(plan.glow_size, o.source, o.slices);
  add_composite(plan);
  return {};
}

Result<void> plan_chain(BloomPlan& plan) {
  const BloomOptions& o = plan.options;
  plan.levels = chain_levels(o, plan.glow_size);
  const auto level_bytes = [&](uint32_t level) {
    return bytes_of(level_size(plan.glow_size, level), glow_format(o), o.slices);
  };
  plan.traffic = {bytes_of(o.size, o.source, o.slices), level_bytes(0)};
  plan.passes = 1;
  if (plan.levels > 1) {
    const auto pyramid = plan_pyramid(chain_options(plan));
    if (!pyramid) return pyramid.error();
    plan.traffic.bytes_read += pyramid->bytes_read;
    plan.traffic.bytes_written += pyramid->bytes_written;
    ++plan.passes;
  }
  for (uint32_t level = plan.levels - 1; level-- > 0; ++plan.passes) {
    plan.traffic.bytes_read += level_bytes(level) + level_bytes(level + 1);
    plan.traffic.bytes_written += level_bytes(level);
  }
  add_composite(plan);
  return {};
}

}  // namespace

Format glow_format(const BloomOptions& options) {
  const uint32_t channels = format_info(options.source).channels;
  return channels == 1 ? Format::kR32Sfloat : channels == 2 ? Format::kRG32Sfloat : Format::kRGBA32Sfloat;
}

Format kernel_format(const BloomOptions& options) {
  return format_info(options.kernel).channels < 3 ? Format::kR32Sfloat : Format::kRGBA32Sfloat;
}

ConvolutionOptions convolution_options(const BloomPlan& plan) {
  const BloomOptions& o = plan.options;
  const bool tinted = kernel_format(o) == Format::kRGBA32Sfloat && format_info(o.source).channels >= 3;
  return {.size = plan.glow_size,
          .slices = o.slices,
          .source = o.source,
          .target = o.resolution == BloomResolution::kFull ? o.target : glow_format(o),
          .kernel_size = plan.kernel_size,
          .kernel = kernel_format(o),
          .boundary = o.boundary,
          .scale = KernelScale::kUnitSum,
          .kernel_channels = tinted ? KernelChannels::kPerChannel : KernelChannels::kShared,
          .alpha = AlphaPolicy::kPass};
}

PyramidOptions chain_options(const BloomPlan& plan) {
  const Format format = glow_format(plan.options);
  return {
      .size = plan.glow_size, .slices = plan.options.slices, .levels = plan.levels, .source = format, .target = format};
}

Result<BloomPlan> plan_bloom(const BloomOptions& options) {
  // Validates size, slices and formats, and resolves the target.
  const auto image = plan_transform(
      {.size = options.size, .slices = options.slices, .source = options.source, .target = options.target});
  if (!image) return image.error();
  auto checked = check_modes(options);
  if (checked) checked = check_numbers(options);
  if (!checked) return checked.error();
  BloomPlan plan;
  plan.options = options;
  plan.options.target = image->options.target;
  const bool half = options.resolution == BloomResolution::kHalf;
  plan.glow_size = half ? Extent{div_up(options.size.width, 2U), div_up(options.size.height, 2U)} : options.size;
  auto planned = options.method == BloomMethod::kConvolution ? plan_kernel(plan) : plan_chain(plan);
  if (!planned) return planned.error();
  return plan;
}

}  // namespace onepass
