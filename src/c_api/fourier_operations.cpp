// fourier_operations.cpp: options and plans for C.
#include "c_api/options.hpp"

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_CONVOLUTION_SAME == number(ConvolutionMode::kSame));
static_assert(ONEPASS_CONVOLUTION_FULL == number(ConvolutionMode::kFull));
static_assert(ONEPASS_CONVOLUTION_VALID == number(ConvolutionMode::kValid));
static_assert(ONEPASS_KERNEL_SCALE_NONE == number(KernelScale::kNone));
static_assert(ONEPASS_KERNEL_SCALE_UNIT_SUM == number(KernelScale::kUnitSum));
static_assert(ONEPASS_KERNEL_SCALE_UNIT_SUM_PER_CHANNEL == number(KernelScale::kUnitSumPerChannel));
static_assert(ONEPASS_KERNEL_SHARED == number(KernelChannels::kShared));
static_assert(ONEPASS_KERNEL_PER_CHANNEL == number(KernelChannels::kPerChannel));
static_assert(ONEPASS_ALPHA_FILTER == number(AlphaPolicy::kFilter));
static_assert(ONEPASS_ALPHA_PASS == number(AlphaPolicy::kPass));
static_assert(ONEPASS_FILTER_ALL == number(FilterBand::kAll));
static_assert(ONEPASS_FILTER_LOW_PASS == number(FilterBand::kLowPass));
static_assert(ONEPASS_FILTER_HIGH_PASS == number(FilterBand::kHighPass));
static_assert(ONEPASS_FILTER_BAND_PASS == number(FilterBand::kBandPass));
static_assert(ONEPASS_FILTER_BAND_STOP == number(FilterBand::kBandStop));
static_assert(ONEPASS_FILTER_IDEAL == number(FilterShape::kIdeal));
static_assert(ONEPASS_FILTER_BUTTERWORTH == number(FilterShape::kButterworth));
static_assert(ONEPASS_FILTER_GAUSSIAN == number(FilterShape::kGaussian));
static_assert(ONEPASS_DC_FILTER == number(DcGain::kFilter));
static_assert(ONEPASS_DC_KEEP == number(DcGain::kKeep));
static_assert(ONEPASS_DC_REMOVE == number(DcGain::kRemove));
static_assert(ONEPASS_FILTER_LINEAR == number(FilterDomain::kLinear));
static_assert(ONEPASS_FILTER_LOGARITHM == number(FilterDomain::kLogarithm));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_convolution_options) == 80);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_filter_options) == 96);
static_assert(sizeof(onepass_notch) == sizeof(Notch));

onepass_convolution_options convolution_defaults() {
  const ConvolutionOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .slices = o.slices,
          .channels = o.channels,
          .source = number(o.source),
          .target = number(o.target),
          .kernel_size = to_c(o.kernel_size),
          .kernel = number(o.kernel),
          .has_kernel_origin = o.kernel_origin ? 1U : 0U,
          .kernel_origin = {},
          .boundary = number(o.boundary),
          .mode = number(o.mode),
          .scale = number(o.scale),
          .kernel_channels = number(o.kernel_channels),
          .alpha = number(o.alpha),
          .mix = o.mix};
}

onepass_filter_options filter_defaults() {
  const FilterOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .slices = o.slices,
          .channels = o.channels,
          .source = number(o.source),
          .target = number(o.target),
          .band = number(o.band),
          .shape = number(o.shape),
          .cutoff = o.cutoff,
          .upper_cutoff = o.upper_cutoff,
          .order = o.order,
          .stop_gain = o.stop_gain,
          .pass_gain = o.pass_gain,
          .dc = number(o.dc),
          .domain = number(o.domain),
          .log_offset = o.log_offset,
          .alpha = number(o.alpha),
          .boundary = number(o.boundary),
          .margin = o.margin,
          .notch_count = o.notch_count,
          .notches = nullptr};
}

}  // namespace

Result<ConvolutionOptions> read_options(const onepass_convolution_options* options) {
  auto o = read_struct("options", options, convolution_defaults());
  if (!o) return o.error();
  ConvolutionOptions out{.size = to_cpp(o->size),
                         .slices = o->slices,
                         .channels = o->channels,
                         .source = static_cast<Format>(o->source),
                         .target = static_cast<Format>(o->target),
                         .kernel_size = to_cpp(o->kernel_size),
                         .kernel = static_cast<Format>(o->kernel),
                         .boundary = static_cast<Boundary>(o->boundary),
                         .mode = static_cast<ConvolutionMode>(o->mode),
                         .scale = static_cast<KernelScale>(o->scale),
                         .kernel_channels = static_cast<KernelChannels>(o->kernel_channels),
                         .alpha = static_cast<AlphaPolicy>(o->alpha),
                         .mix = o->mix};
  if (o->has_kernel_origin != 0) out.kernel_origin = Offset{o->kernel_origin.x, o->kernel_origin.y};
  return out;
}

Result<FilterOptions> read_options(const onepass_filter_options* options) {
  auto o = read_struct("options", options, filter_defaults());
  if (!o) return o.error();
  FilterOptions out{.size = to_cpp(o->size),
                    .slices = o->slices,
                    .channels = o->channels,
                    .source = static_cast<Format>(o->source),
                    .target = static_cast<Format>(o->target),
                    .band = static_cast<FilterBand>(o->band),
                    .shape = static_cast<FilterShape>(o->shape),
                    .cutoff = o->cutoff,
                    .upper_cutoff = o->upper_cutoff,
                    .order = o->order,
                    .stop_gain = o->stop_gain,
                    .pass_gain = o->pass_gain,
                    .notch_count = o->notch_count,
                    .dc = static_cast<DcGain>(o->dc),
                    .domain = static_cast<FilterDomain>(o->domain),
                    .log_offset = o->log_offset,
                    .alpha = static_cast<AlphaPolicy>(o->alpha),
                    .boundary = static_cast<Boundary>(o->boundary),
                    .margin = o->margin};
  if (o->notch_count == 0) return out;
  if (auto there = require(o->notches, "notches"); !there) return there.error();
  if (o->notch_count > kMaxNotches) {
    return invalid("notch_count: " + std::to_string(o->notch_count) + " is more than " + std::to_string(kMaxNotches));
  }
  for (uint32_t i = 0; i < o->notch_count; ++i)
    out.notches[i] = {o->notches[i].fx, o->notches[i].fy, o->notches[i].radius};
  return out;
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_convolution_options_init(onepass_convolution_options* options, size_t struct_size) {
  write_struct(options, struct_size, convolution_defaults());
}

onepass_code onepass_plan_convolution(const onepass_convolution_options* options, onepass_convolution_plan* plan,
                                      onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_options(options);
    if (!o) return o.error();
    auto made = plan_convolution(*o);
    if (!made) return made.error();
    write_result(plan, {.struct_size = 0,
                        .result_size = to_c(made->result_size),
                        .domain = {made->x.domain, made->y.domain},
                        .kernel_bytes = made->kernel_bytes,
                        .bytes_read = made->traffic.bytes_read,
                        .bytes_written = made->traffic.bytes_written});
    return {};
  });
}

void onepass_filter_options_init(onepass_filter_options* options, size_t struct_size) {
  write_struct(options, struct_size, filter_defaults());
}

}  // extern "C"
