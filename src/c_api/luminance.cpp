// luminance.cpp: options for C.
#include <cstddef>

#include "c_api/options.hpp"

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_LUMINANCE_REC709 == number(LuminanceWeights::kRec709));
static_assert(ONEPASS_LUMINANCE_REC2020 == number(LuminanceWeights::kRec2020));
static_assert(ONEPASS_LUMINANCE_ACES_CG == number(LuminanceWeights::kAcesCg));
static_assert(ONEPASS_METERING_AVERAGE == number(Metering::kAverage));
static_assert(ONEPASS_METERING_CENTRE_WEIGHTED == number(Metering::kCentreWeighted));
static_assert(ONEPASS_METERING_SPOT == number(Metering::kSpot));
static_assert(ONEPASS_METERING_MASK == number(Metering::kMask));
static_assert(ONEPASS_STATISTIC_LOG_AVERAGE == number(MeterStatistic::kLogAverage));
static_assert(ONEPASS_STATISTIC_MEAN == number(MeterStatistic::kMean));
static_assert(ONEPASS_STATISTIC_PERCENTILES == number(MeterStatistic::kPercentiles));
static_assert(ONEPASS_EXPOSURE_KEY == number(ExposureRule::kKey));
static_assert(ONEPASS_EXPOSURE_SATURATION == number(ExposureRule::kSaturation));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_meter_options) == 160);

// Results have the same layout in C and C++ and are not converted.
#define ONEPASS_SAME_PLACE(field)                                                        \
  static_assert(offsetof(onepass_meter_result, field) == offsetof(MeterResult, field) && \
                sizeof(onepass_meter_result::field) == sizeof(MeterResult::field));
ONEPASS_SAME_PLACE(valid)
ONEPASS_SAME_PLACE(exposure)
ONEPASS_SAME_PLACE(ev100)
ONEPASS_SAME_PLACE(log_average)
ONEPASS_SAME_PLACE(adapted_luminance)
ONEPASS_SAME_PLACE(mean_luminance)
ONEPASS_SAME_PLACE(min_luminance)
ONEPASS_SAME_PLACE(max_luminance)
ONEPASS_SAME_PLACE(mean_colour)
ONEPASS_SAME_PLACE(metered_luminance)
ONEPASS_SAME_PLACE(finite_count)
ONEPASS_SAME_PLACE(nan_count)
ONEPASS_SAME_PLACE(infinite_count)
ONEPASS_SAME_PLACE(negative_count)
ONEPASS_SAME_PLACE(zero_count)
ONEPASS_SAME_PLACE(has_history)
ONEPASS_SAME_PLACE(adapted_log2)
ONEPASS_SAME_PLACE(histogram_low)
ONEPASS_SAME_PLACE(histogram_high)
ONEPASS_SAME_PLACE(reserved0)
ONEPASS_SAME_PLACE(total_weight)
ONEPASS_SAME_PLACE(zero_weight)
ONEPASS_SAME_PLACE(percentiles)
ONEPASS_SAME_PLACE(reserved1)
ONEPASS_SAME_PLACE(histogram)
#undef ONEPASS_SAME_PLACE
static_assert(sizeof(onepass_meter_result) == sizeof(MeterResult));
static_assert(std::is_trivially_copyable_v<MeterResult>);

onepass_meter_options meter_defaults() {
  const MeterOptions o;
  onepass_meter_options out{.struct_size = 0,
                            .size = to_c(o.size),
                            .slices = o.slices,
                            .source = number(o.source),
                            .rect = to_c(o.rect),
                            .weights = number(o.weights),
                            .delta = o.delta,
                            .metering = number(o.metering),
                            .centre_x = o.centre_x,
                            .centre_y = o.centre_y,
                            .radius = o.radius,
                            .mask = number(o.mask),
                            .histogram_low = o.histogram_low,
                            .histogram_high = o.histogram_high,
                            .percentiles = {},
                            .statistic = number(o.statistic),
                            .clip_low = o.clip_low,
                            .clip_high = o.clip_high,
                            .lowest_ev100 = o.lowest_ev100,
                            .highest_ev100 = o.highest_ev100,
                            .rule = number(o.rule),
                            .key = o.key,
                            .calibration = o.calibration,
                            .lens_attenuation = o.lens_attenuation,
                            .compensation = o.compensation,
                            .up_stops_per_second = o.adaptation.up_stops_per_second,
                            .down_stops_per_second = o.adaptation.down_stops_per_second,
                            .ease_stops = o.adaptation.ease_stops};
  std::copy(o.percentiles.begin(), o.percentiles.end(), out.percentiles);
  return out;
}

}  // namespace

Result<MeterOptions> read_options(const onepass_meter_options* options, const char* name) {
  auto o = read_struct(name, options, meter_defaults());
  if (!o) return o.error();
  MeterOptions out{.size = to_cpp(o->size),
                   .slices = o->slices,
                   .source = static_cast<Format>(o->source),
                   .rect = to_cpp(o->rect),
                   .weights = static_cast<LuminanceWeights>(o->weights),
                   .delta = o->delta,
                   .metering = static_cast<Metering>(o->metering),
                   .centre_x = o->centre_x,
                   .centre_y = o->centre_y,
                   .radius = o->radius,
                   .mask = static_cast<Format>(o->mask),
                   .histogram_low = o->histogram_low,
                   .histogram_high = o->histogram_high,
                   .statistic = static_cast<MeterStatistic>(o->statistic),
                   .clip_low = o->clip_low,
                   .clip_high = o->clip_high,
                   .lowest_ev100 = o->lowest_ev100,
                   .highest_ev100 = o->highest_ev100,
                   .rule = static_cast<ExposureRule>(o->rule),
                   .key = o->key,
                   .calibration = o->calibration,
                   .lens_attenuation = o->lens_attenuation,
                   .compensation = o->compensation,
                   .adaptation = {.up_stops_per_second = o->up_stops_per_second,
                                  .down_stops_per_second = o->down_stops_per_second,
                                  .ease_stops = o->ease_stops}};
  std::copy(std::begin(o->percentiles), std::end(o->percentiles), out.percentiles.begin());
  return out;
}

MeterFrame frame_of(const onepass_meter_frame* frame) {
  if (frame == nullptr) return {};
  return {.seconds = frame->seconds, .cut = frame->cut != 0};
}

Result<ImageView> mask_of(const onepass_image_view* mask) {
  if (mask == nullptr) return ImageView{};
  return view_of("mask", mask);
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_meter_options_init(onepass_meter_options* options, size_t struct_size) {
  write_struct(options, struct_size, meter_defaults());
}

}  // extern "C"
