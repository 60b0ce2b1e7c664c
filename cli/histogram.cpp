// histogram.cpp: draws bins, marks and a tone curve over one axis of stops.
//
//     title                                        EV100, exposure
//     +--------------------------------------------+ 1  display value
//     |        1%   10%      50%        90% | #### |
//     |         :    :   __--:--__       :  | #### |     ####: luminance that exposure maps above 1
//     |         :   _:--     :    --__   :  | #### |
//     +--------------------------------------------+ 0
//      -8   -6   -4   -2   0    2    4    6    stops
#include "histogram.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "light_command.hpp"
#include "onepass/files.hpp"
#include "plot.hpp"
#include "sheet.hpp"

namespace onepass::cli {
namespace {

constexpr Rgb kPanel{32, 33, 37};
constexpr Rgb kGrid{50, 52, 58};
constexpr Rgb kLabel{176, 178, 184};
constexpr Rgb kBars{118, 150, 190};
constexpr Rgb kMark{210, 210, 206};
constexpr Rgb kGrey{130, 200, 140};
constexpr Rgb kMetered{240, 200, 110};
constexpr Rgb kClipped{224, 92, 82};
constexpr Rgb kCurve{238, 150, 84};

constexpr Extent kSize{1080, 620};
constexpr double kLeft = 84, kRight = 1012, kPlotTop = 168, kBottom = 536;

// A percentage of up to three significant digits.
std::string percent_text(double share) { return fmt::format("{:.3g}%", 100 * share); }

class Chart {
 public:
  Chart(Plot& plot, const MeterOptions& options, const MeterResult& result, const HistogramText& text)
      : plot_(plot), options_(options), result_(result), text_(text) {
    choose_range();
  }

  void draw() {
    draw_head();
    plot_.rect({kLeft, kPlotTop}, {kRight, kBottom}, kPanel);
    if (result_.valid == 0) {
      plot_.text({0.5 * (kLeft + kRight), 340}, "no pixels to meter", kLabel, Anchor::kMiddle);
      return;
    }
    draw_clipped();
    draw_axis();
    draw_bars();
    draw_curve();
    draw_marks();
    draw_legend();
  }

 private:
  [[nodiscard]] double bin_edge(size_t bin) const {
    const double share = static_cast<double>(bin) / static_cast<double>(result_.histogram.size());
    return result_.histogram_low + share * (double{result_.histogram_high} - result_.histogram_low);
  }
  [[nodiscard]] double x_of(double stops) const { return kLeft + (stops - low_) / (high_ - low_) * (kRight - kLeft); }
  [[nodiscard]] static double y_of(double share) { return kBottom - share * (kBottom - kPlotTop); }
  [[nodiscard]] bool inside(double stops) const { return stops >= low_ && stops <= high_; }
  [[nodiscard]] double exposure() const { return usable_exposure(result_.exposure); }

  // Chooses an axis of whole stops that contains all non-empty bins, middle grey and white.
  void choose_range() {
    double first = std::log2(0.18 / exposure()) - 1, last = -std::log2(exposure()) + 1;
    for (size_t i = 0; i < result_.histogram.size(); ++i) {
      if (result_.histogram[i] == 0) continue;
      first = std::min(first, bin_edge(i));
      last = std::max(last, bin_edge(i + 1));
    }
    low_ = std::floor(first);
    high_ = std::ceil(last);
  }

  void draw_head() {
    plot_.text({kLeft, 20}, text_.title, kTitle, Anchor::kStart, true);
    plot_.text({kLeft, 58},
               fmt::format("{}, {} pixels, metering {}", size_text(text_.size), result_.finite_count, text_.metering),
               kLabel);
    plot_.text({kLeft, 82},
               fmt::format("EV100 {:.2f}   exposure {:+.2f} stops by {}   black {}", result_.ev100,
                           std::log2(exposure()), word_of(options_.statistic), percent_text(black())),
               kLabel);
  }

  [[nodiscard]] double black() const {
    const uint64_t all = result_.total_weight;
    return all == 0 ? 0 : static_cast<double>(result_.zero_weight) / static_cast<double>(all);
  }

  // Shades the luminance that exposure maps above 1.
  void draw_clipped() {
    const double from = -std::log2(exposure());
    if (from < high_) plot_.rect({x_of(std::max(from, low_)), kPlotTop}, {kRight, kBottom}, kClipped, 0.16);
  }

  void draw_axis() {
    const int step = high_ - low_ > 28 ? 4 : high_ - low_ > 14 ? 2 : 1;
    for (int stop = static_cast<int>(low_); stop <= static_cast<int>(high_); ++stop) {
      if (stop % step != 0) continue;
      plot_.rect({x_of(stop) - 0.5, kPlotTop}, {x_of(stop) + 0.5, kBottom}, kGrid);
      plot_.text({x_of(stop), kBottom + 8}, fmt::format("{}", stop), kLabel, Anchor::kMiddle);
    }
    plot_.text({0.5 * (kLeft + kRight), kBottom + 34}, "log2 of luminance, stops", kLabel, Anchor::kMiddle);
    for (const double value : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      plot_.rect({kLeft, y_of(value) - 0.5}, {kRight, y_of(value) + 0.5}, kGrid);
      plot_.text({kRight + 8, y_of(value) - 7}, fmt::format("{:.2g}", value), kCurve);
    }
  }

  // Heights are shares of the weight per stop. A bar above twice the 97th percentile of heights is clipped.
  void draw_bars() {
    const double width = bin_edge(1) - bin_edge(0);
    const double all = static_cast<double>(result_.total_weight) * width;
    std::vector<double> heights;
    for (const uint64_t weight : result_.histogram) {
      if (weight != 0) heights.push_back(static_cast<double>(weight) / all);
    }
    if (heights.empty()) return;
    std::sort(heights.begin(), heights.end());
    const double usual = heights[heights.size() * 97 / 100];
    const double top = 1.08 * (heights.back() > 2 * usual ? 1.5 * usual : heights.back());
    for (size_t i = 0; i < result_.histogram.size(); ++i) {
      if (result_.histogram[i] == 0) continue;
      const double share = std::min(1.0, static_cast<double>(result_.histogram[i]) / all / top);
      plot_.rect({x_of(bin_edge(i)), y_of(share)}, {x_of(bin_edge(i + 1)), kBottom}, kBars, 0.85);
    }
    for (const double share : {0.5, 1.0}) {
      plot_.text({kLeft - 8, y_of(share) - 7}, fmt::format("{:.{}f}%", 100 * share * top, top < 0.1 ? 1 : 0), kBars,
                 Anchor::kEnd);
    }
    plot_.text({kLeft - 8, y_of(0) - 7}, "0", kBars, Anchor::kEnd);
  }

  // Displayed value of grey light, after the operator and sRGB encoding.
  void draw_curve() {
    constexpr uint32_t kPoints = 512;
    std::array<float, kPoints> light{}, shown{};
    for (size_t i = 0; i < kPoints; ++i) {
      light[i] = static_cast<float>(std::exp2(low_ + (high_ - low_) * static_cast<double>(i) / (kPoints - 1)));
    }
    const Extent row{kPoints, 1};
    const auto map = cpu::ToneMap::create(
        {.size = row, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .tone_operator = text_.tone_operator},
        {.threads = 1});
    if (!map) return;
    const ImageView from{light.data(), Format::kR32Sfloat, row, 1, sizeof light, 0};
    const MutableImageView to{shown.data(), Format::kR32Sfloat, row, 1, sizeof shown, 0};
    if (!map->apply(from, to, result_.exposure)) return;
    std::vector<Point> points;
    for (size_t i = 0; i < kPoints; ++i) {
      points.push_back({kLeft + (kRight - kLeft) * static_cast<double>(i) / (kPoints - 1),
                        y_of(std::clamp(double{shown[i]}, 0.0, 1.0))});
    }
    plot_.line(points, kCurve, 2.2);
  }

  // The label goes into the first of three rows where it overlaps no other, or is left out.
  void draw_mark(double stops, const std::string& label, Rgb colour) {
    if (!inside(stops)) return;
    plot_.dashes(x_of(stops), kPlotTop - 5, kBottom, colour);
    const double half = 0.5 * kPlotAdvance * static_cast<double>(label.size());
    const double x = std::clamp(x_of(stops), kLeft + half - 40, kRight - half + 40);
    for (size_t row = 0; row < taken_.size(); ++row) {
      const auto touches = [&](const auto& other) { return x - half < other.second + 8 && x + half > other.first - 8; };
      if (std::any_of(taken_[row].begin(), taken_[row].end(), touches)) continue;
      taken_[row].push_back({x - half, x + half});
      plot_.text({x, kPlotTop - 24 - 20 * static_cast<double>(row)}, label, colour, Anchor::kMiddle);
      return;
    }
  }

  // Percentiles less than 24 pixels apart share one label.
  void draw_percentiles() {
    const auto& shares = options_.percentiles;
    const auto place = [&](size_t i) { return std::log2(double{result_.percentiles[i]}); };
    for (size_t i = 0; i < shares.size();) {
      const size_t first = i++;
      if (!(result_.percentiles[first] > 0)) continue;
      while (i < shares.size() && std::fabs(x_of(place(i)) - x_of(place(first))) < 24) {
        if (inside(place(i))) plot_.dashes(x_of(place(i)), kPlotTop - 5, kBottom, kMark);
        ++i;
      }
      const std::string low = fmt::format("{:.3g}", 100 * double{shares[first]});
      const std::string high = i - first > 1 ? fmt::format("-{:.3g}", 100 * double{shares[i - 1]}) : "";
      draw_mark(place(first), low + high + "%", kMark);
    }
  }

  void draw_marks() {
    const double grey = std::log2(0.18 / exposure());
    const double metered = std::log2(std::max(double{result_.metered_luminance}, 0x1p-140));
    const bool together = std::fabs(x_of(grey) - x_of(metered)) < 2;
    draw_mark(metered, together ? "metered = 18% grey" : "metered", kMetered);
    if (!together) draw_mark(grey, "18% grey", kGrey);
    draw_percentiles();
  }

  void draw_legend() {
    const std::string above = fmt::format("above white {}", percent_text(share_above(result_, 1 / exposure())));
    plot_.text({kRight, 20}, above, kClipped, Anchor::kEnd);
    plot_.text({kRight, 44}, fmt::format("tone curve {}, sRGB", text_.operator_name), kCurve, Anchor::kEnd);
    plot_.text({kLeft, kBottom + 34}, "share of pixels per stop", kBars);
    plot_.text({kRight, kBottom + 34}, "displayed value", kCurve, Anchor::kEnd);
  }

  Plot& plot_;
  const MeterOptions& options_;
  const MeterResult& result_;
  const HistogramText& text_;
  double low_ = 0;
  double high_ = 1;
  std::array<std::vector<std::pair<double, double>>, 3> taken_;
};

}  // namespace

Result<void> write_histogram(const std::filesystem::path& path, const MeterOptions& options, const MeterResult& result,
                             const HistogramText& text) {
  if (path.extension() == ".svg") {
    SvgPlot plot(kSize, kBackground);
    Chart(plot, options, result, text).draw();
    auto file = files::AtomicFile::create(path);
    if (!file) return file.error();
    if (auto done = file->write(plot.document()); !done) return done;
    return file->commit();
  }
  PixelPlot plot(kSize, kBackground);
  Chart(plot, options, result, text).draw();
  return write_pixels(path, plot.pixels());
}

}  // namespace onepass::cli
