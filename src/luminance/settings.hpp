// settings.hpp: values that both engines derive from a meter's options: bins to count, largest weight, constants.
#pragma once

#include "luminance/params.hpp"
#include "onepass/luminance.hpp"

namespace onepass::luminance {

/// Formats of one or two channels: luminance, green and blue are equal to red.
inline bool is_grey(Format format) { return format_info(format).channels < 3; }

/// Whether the range of the histogram is determined from the image.
inline bool automatic_range(const MeterOptions& options) { return options.histogram_low == options.histogram_high; }

/// The number of bins that are counted while the image is read.
inline uint32_t counted_bins(const MeterOptions& options) {
  return automatic_range(options) ? ONEPASS_LUMINANCE_FINE_BINS : ONEPASS_LUMINANCE_BINS;
}

/// The largest weight of a pixel.
inline uint32_t full_weight(Metering metering) {
  return metering == Metering::kCentreWeighted || metering == Metering::kMask ? 255 : 1;
}

/// The most workgroups per slice that have something to do. `rect` is MeterPlan::rect.
uint32_t most_groups(Rect rect);

/// Workgroups per slice: `wanted`, or the nearest number that the words of a workgroup's histogram allow, at most
/// most_groups().
uint32_t count_groups(Rect rect, uint32_t wanted);

/// Bytes of counters, sums and histograms of all slices. Errors: kUnsupported if kernels cannot index them.
Result<uint64_t> scratch_bytes(const MeterOptions& options);

/// The constants of a dispatch, except `seconds` and `groups`. `rect` is MeterPlan::rect.
LuminanceParams make_params(const MeterOptions& options, Rect rect);

/// The value of LuminanceParams::seconds. Errors: kInvalidArgument if frame.seconds is not within 0 and 1e9.
Result<float> seconds_of(const MeterFrame& frame);

}  // namespace onepass::luminance
