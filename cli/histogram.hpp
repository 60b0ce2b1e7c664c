// histogram.hpp: draws the result of a meter as a chart.
#pragma once

#include <filesystem>
#include <string>

#include "onepass/luminance.hpp"
#include "onepass/tone_map.hpp"

namespace onepass::cli {

/// Texts of the chart, and the operator whose tone curve it shows.
struct HistogramText {
  std::string title;
  Extent size;
  std::string metering;
  ToneOperator tone_operator = ToneOperator::kAgxBlender;
  std::string operator_name;
};

/// Draws the histogram over log2 of luminance with the percentiles, middle grey, the range above white and the tone
/// curve of the operator, and writes it as .svg or .png. Errors: kIo, kOutOfMemory.
[[nodiscard]] Result<void> write_histogram(const std::filesystem::path& path, const MeterOptions& options,
                                           const MeterResult& result, const HistogramText& text);

}  // namespace onepass::cli
