// settings.hpp: what both engines derive from a meter's options.
#pragma once

#include "onepass/luminance.hpp"
#include "onepass/luminance_params.h"

namespace onepass::luminance {

/// One and two channels: luminance is the red channel, and so is every channel of the colour.
inline bool is_grey(Format format) { return format_info(format).channels < 3; }

/// The range of the histogram is found, not given.
inline bool automatic_range(const MeterOptions& options) { return options.histogram_low == options.histogram_high; }

/// Bins that are counted while the image is read.
inline uint32_t counted_bins(const MeterOptions& options) {
  return automatic_range(options) ? ONEPASS_LUMINANCE_FINE_BINS : ONEPASS_LUMINANCE_BINS;
}

/// The largest weight of a pixel.
inline uint32_t full_weight(Metering metering) {
  return metering == Metering::kCentreWeighted || metering == Metering::kMask ? 255 : 1;
}

/// The constants of a dispatch but for `seconds`, `rect` being what plan_meter() says.
LuminanceParams make_params(const MeterOptions& options, Rect rect);

/// The value of LuminanceParams::seconds. Errors: kInvalidArgument for a negative time or none at all.
Result<float> seconds_of(const MeterFrame& frame);

}  // namespace onepass::luminance
