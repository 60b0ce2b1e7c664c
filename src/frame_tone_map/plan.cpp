// plan.cpp: checks that a meter and a tone map agree in size, slices and source, and counts the bytes of a frame.
#include <string>

#include "image/error.hpp"
#include "onepass/frame_tone_map.hpp"

namespace onepass {

Result<FrameToneMapPlan> plan_frame_tone_map(const FrameToneMapOptions& options) {
  const MeterOptions& meter = options.meter;
  const ToneMapOptions& tone = options.tone;
  const auto metered = plan_meter(meter);
  if (!metered) return metered.error();
  const auto mapped = plan_tone_map(tone);
  if (!mapped) return mapped.error();
  const auto differ = [](const char* field, const std::string& a, const std::string& b) {
    return invalid(std::string(field) + ": the meter's is " + a + ", the tone map's " + b);
  };
  if (meter.size != tone.size) return differ("size", size_text(meter.size), size_text(tone.size));
  if (meter.slices != tone.slices) return differ("slices", std::to_string(meter.slices), std::to_string(tone.slices));
  if (meter.source != tone.source) {
    return differ("source", std::string(format_info(meter.source).name), std::string(format_info(tone.source).name));
  }
  if (tone.local.enabled()) {
    return invalid("tone.local: local exposure needs the whole frame before its first texel is mapped");
  }
  uint64_t mask = 0;
  if (meter.metering == Metering::kMask) {
    mask =
        uint64_t{metered->rect.width} * metered->rect.height * format_info(meter.mask).bytes_per_texel * meter.slices;
  }
  return FrameToneMapPlan{mapped->bytes_read + mask, mapped->bytes_written + metered->bytes_written};
}

}  // namespace onepass
