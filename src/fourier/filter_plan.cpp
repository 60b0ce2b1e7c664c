// filter_plan.cpp: validates a filter's options; chooses its domain, plans its transform, computes the gain's
// parameters.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "fourier/filter_gain.hpp"
#include "fourier/operation_plan.hpp"
#include "image/error.hpp"
#include "onepass/fourier_filter.hpp"

namespace onepass {
namespace {

// Limits far outside the frequencies of images. Their squares neither underflow nor overflow.
constexpr float kLeastFrequency = 1e-9F;
constexpr float kMostGaussianCutoff = 1e9F;

bool two_cutoffs(const FilterOptions& o) { return o.band == FilterBand::kBandPass || o.band == FilterBand::kBandStop; }

Result<void> check_cutoffs(const FilterOptions& o) {
  if (o.band == FilterBand::kAll) return {};
  // A narrow Gaussian blur has a cutoff beyond all frequencies of an image.
  const bool blurs = o.shape == FilterShape::kGaussian && !two_cutoffs(o);
  if (!(o.cutoff >= kLeastFrequency && o.cutoff <= (blurs ? kMostGaussianCutoff : 1))) {
    return invalid("cutoff: " + number_text(o.cutoff) + " is not within 1e-9 and " +
                   (blurs ? "1e9 cycles" : "1 cycle") + " per texel");
  }
  if (two_cutoffs(o) && !(o.upper_cutoff > o.cutoff && o.upper_cutoff <= 1)) {
    return invalid("upper_cutoff: " + number_text(o.upper_cutoff) + " is not above cutoff, " + number_text(o.cutoff) +
                   ", and up to 1 cycle per texel");
  }
  return {};
}

Result<void> check_notches(const FilterOptions& o) {
  if (o.notch_count > kMaxNotches) {
    return invalid("notch_count: " + std::to_string(o.notch_count) + " is more than " + std::to_string(kMaxNotches));
  }
  for (uint32_t i = 0; i < o.notch_count; ++i) {
    const Notch& notch = o.notches[i];
    const std::string name = "notches[" + std::to_string(i) + "]";
    if (!(std::fabs(notch.fx) <= 0.5F && std::fabs(notch.fy) <= 0.5F)) {
      return invalid(name + ": the frequency " + number_text(notch.fx) + "," + number_text(notch.fy) +
                     " is not within -0.5 and 0.5 cycles per texel");
    }
    if (!(notch.radius >= kLeastFrequency && notch.radius <= 1)) {
      return invalid(name + ": the radius " + number_text(notch.radius) + " is not within 1e-9 and 1");
    }
  }
  return {};
}

Result<void> check_options(const FilterOptions& o) {
  if (auto known = check_enumerators("band", o.band, "shape", o.shape, "dc", o.dc, "domain", o.domain, "alpha", o.alpha,
                                     "boundary", o.boundary);
      !known)
    return known.error();
  if (o.order < 1 || o.order > 64) return invalid("order: " + std::to_string(o.order) + " is not within 1 and 64");
  if (!std::isfinite(o.stop_gain)) return invalid("stop_gain: " + number_text(o.stop_gain) + " is not finite");
  if (!std::isfinite(o.pass_gain)) return invalid("pass_gain: " + number_text(o.pass_gain) + " is not finite");
  if (!std::isfinite(o.pass_gain - o.stop_gain)) {
    return invalid("pass_gain: " + number_text(o.pass_gain) + " less stop_gain, " + number_text(o.stop_gain) +
                   ", is not finite");
  }
  if (o.domain == FilterDomain::kLogarithm && !(o.log_offset > 0 && std::isfinite(o.log_offset))) {
    return invalid("log_offset: " + number_text(o.log_offset) + " is not above 0");
  }
  if (o.domain == FilterDomain::kLogarithm && o.boundary == Boundary::kZero) {
    return invalid("boundary: zero is not for logarithms, of which it is none");
  }
  if (o.boundary == Boundary::kWrap && o.margin != 0) {
    return invalid("margin: " + std::to_string(o.margin) + ", but a wrapped image has none");
  }
  auto checked = check_cutoffs(o);
  if (checked) checked = check_notches(o);
  return checked;
}

// Longest period of the filter's response, in texels: 1 / the smallest cutoff, band width or notch radius.
double longest_period(const FilterOptions& o) {
  double lowest = 1;
  if (o.band != FilterBand::kAll) lowest = std::min<double>(lowest, o.cutoff);
  if (two_cutoffs(o)) lowest = std::min<double>(lowest, o.upper_cutoff - o.cutoff);
  for (uint32_t i = 0; i < o.notch_count; ++i) lowest = std::min<double>(lowest, o.notches[i].radius);
  return 1 / lowest;
}

struct FilterAxis {
  int64_t domain = 0;
  int32_t placement = 0;
};

FilterAxis plan_axis(uint32_t size, const FilterOptions& o) {
  const int64_t n = size;
  if (o.boundary == Boundary::kWrap) return {n, 0};
  // The mirrored image has a period of 2n texels.
  if (o.boundary == Boundary::kMirror && (o.margin == 0 || o.margin * int64_t{2} >= n)) return {2 * n, 0};
  const double wanted = std::min(std::ceil(2 * longest_period(o)), static_cast<double>(n));
  const int64_t margin = o.margin != 0 ? int64_t{o.margin} : static_cast<int64_t>(wanted);
  const bool one_gap = o.boundary == Boundary::kZero;  // the domain is periodic: zeros on one side serve both
  const int64_t least = n + (one_gap ? margin : 2 * margin);
  if (least > kMaxTransformSize) return {least, 0};
  return {next_smooth_size(static_cast<uint32_t>(least)), one_gap ? 0 : static_cast<int32_t>(margin)};
}

}  // namespace

float gaussian_cutoff(float sigma) { return static_cast<float>(1 / (2 * std::numbers::pi * sigma)); }

void make_filter_params(const FilterOptions& o, FourierFilterParams& p) {
  p = {};
  p.band = static_cast<uint32_t>(o.band);
  p.shape = static_cast<uint32_t>(o.shape);
  p.order = o.order;
  p.notch_count = o.notch_count;
  p.cutoff_squared = o.cutoff * o.cutoff;
  p.centre_squared = o.cutoff * o.upper_cutoff;
  p.band_width = o.upper_cutoff - o.cutoff;
  p.lowest = o.cutoff * o.cutoff;
  p.highest = o.upper_cutoff * o.upper_cutoff;
  p.stop_gain = o.stop_gain;
  p.pass_gain = o.pass_gain;
  p.dc_gain = o.dc == DcGain::kFilter ? -1.0F : o.dc == DcGain::kKeep ? 1.0F : 0.0F;
  for (uint32_t i = 0; i < o.notch_count; ++i) {
    const Notch& notch = o.notches[i];
    const auto own_mirror = [](float f) { return f == 0.0F || std::fabs(f) == 0.5F; };
    const bool pair = !(own_mirror(notch.fx) && own_mirror(notch.fy));
    p.notches[i] = {notch.fx, notch.fy, notch.radius * notch.radius, pair ? 1.0F : 0.0F};
  }
}

float filter_gain(const FilterOptions& options, float fx, float fy) {
  FourierFilterParams params;
  make_filter_params(options, params);
  return FilterGain(params)(fx, fy);
}

Result<FilterPlan> plan_filter(const FilterOptions& options) {
  // Validates sizes, formats and channels without the domain.
  const TransformOptions plain{.size = options.size,
                               .slices = options.slices,
                               .channels = options.channels,
                               .source = options.source,
                               .target = options.target};
  const auto alone = plan_transform(plain);
  if (!alone) return alone.error();
  if (auto checked = check_options(options); !checked) return checked.error();

  FilterPlan plan;
  plan.options = options;
  FilterOptions& o = plan.options;
  o.channels = alone->options.channels;
  o.target = alone->options.target;
  const FilterAxis x = plan_axis(o.size.width, o);
  const FilterAxis y = plan_axis(o.size.height, o);
  if (x.domain > kMaxTransformSize || y.domain > kMaxTransformSize) {
    const std::string size = size_text(o.size);
    const std::string domain = " needs a domain of " + std::to_string(x.domain) + "x" + std::to_string(y.domain) +
                               ", more than " + std::to_string(kMaxTransformSize) + " texels an axis";
    if (o.margin == 0) return invalid("size: " + size + domain + "; a margin makes it smaller");
    return invalid("margin: " + std::to_string(o.margin) + " around " + size + domain);
  }
  plan.domain = {static_cast<uint32_t>(x.domain), static_cast<uint32_t>(y.domain)};
  TransformOptions image = alone->options;
  image.size = plan.domain;
  image.crop = {0, 0, o.size.width, o.size.height};
  image.placement = {x.placement, y.placement};
  image.boundary = o.boundary;
  image.result = {static_cast<uint32_t>(x.placement), static_cast<uint32_t>(y.placement), o.size.width, o.size.height};
  image.order = SpectrumOrder::kColumns;
  const bool logarithm = o.domain == FilterDomain::kLogarithm;
  if (o.channels == 4 && (o.alpha == AlphaPolicy::kPass || logarithm)) image.channels = 3;
  // Passes of their own take the logarithm and undo it: the transform reads and writes floats, and their traffic is
  // added.
  if (logarithm) {
    image.source = image.target = float_format(o.channels);
  }
  const auto transform = plan_transform(image);
  if (!transform) return transform.error();
  plan.image_transform = transform->options;
  plan.traffic = fused_traffic(*transform);
  if (logarithm) {
    const uint64_t texels = uint64_t{o.size.width} * o.size.height * o.slices;
    const uint64_t floats = texels * format_info(image.source).bytes_per_texel;
    plan.traffic.bytes_read += texels * format_info(o.source).bytes_per_texel + floats;
    plan.traffic.bytes_written += texels * format_info(o.target).bytes_per_texel + floats;
  }
  return plan;
}

}  // namespace onepass
