// plot.cpp: the SVG and the pixel version of Plot. The pixel version draws lines several times larger and shrinks them
// for smooth edges; text is drawn last, at the final size.
#include "plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace onepass::cli {
namespace {

constexpr uint32_t kFine = 4;  // samples per pixel, on each axis

std::string hex(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += '?';
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

SvgPlot::SvgPlot(Extent size, Rgb background) {
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"15\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"{2}\"/>\n",
      size.width, size.height, hex(background));
}

void SvgPlot::rect(Point from, Point to, Rgb colour, double opacity) {
  body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"", from.x, from.y,
                       to.x - from.x, to.y - from.y, hex(colour));
  body_ += opacity < 1 ? fmt::format(" fill-opacity=\"{:.2f}\"/>\n", opacity) : "/>\n";
}

void SvgPlot::line(const std::vector<Point>& points, Rgb colour, double width) {
  body_ += "<polyline points=\"";
  for (const Point& p : points) body_ += fmt::format("{:.1f},{:.1f} ", p.x, p.y);
  body_ += fmt::format("\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\" stroke-linejoin=\"round\"/>\n",
                       hex(colour), width);
}

void SvgPlot::dashes(double x, double top, double bottom, Rgb colour) {
  body_ += fmt::format(
      "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" stroke-dasharray=\"5 4\"/>\n",
      x, top, bottom, hex(colour));
}

void SvgPlot::text(Point at, std::string_view text, Rgb colour, Anchor anchor, bool large) {
  static constexpr const char* kAnchors[] = {"start", "middle", "end"};
  text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", at.x,
                       at.y + (large ? 22 : 14), hex(colour), kAnchors[static_cast<size_t>(anchor)],
                       large ? " font-size=\"24\"" : "", escaped(text));
}

PixelPlot::PixelPlot(Extent size, Rgb background)
    : size_(size), large_({size.width * kFine, size.height * kFine}, background) {}

void PixelPlot::rect(Point from, Point to, Rgb colour, double opacity) {
  const auto place = [](double value, uint32_t limit) {
    return static_cast<uint32_t>(std::clamp(std::round(value * kFine), 0.0, static_cast<double>(limit)));
  };
  const uint32_t right = place(to.x, large_.size.width), bottom = place(to.y, large_.size.height);
  const auto mix = [opacity](uint8_t under, uint8_t over) {
    return static_cast<uint8_t>(std::lround(under + opacity * (over - under)));
  };
  for (uint32_t y = place(from.y, bottom); y < bottom; ++y) {
    for (uint32_t x = place(from.x, right); x < right; ++x) {
      Rgb& p = large_.at(x, y);
      p = {mix(p.r, colour.r), mix(p.g, colour.g), mix(p.b, colour.b)};
    }
  }
}

void PixelPlot::line(const std::vector<Point>& points, Rgb colour, double width) {
  const double radius = 0.5 * width;
  for (size_t i = 1; i < points.size(); ++i) {
    const Point a = points[i - 1], b = points[i];
    const double length = std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    const auto steps = static_cast<int>(length * kFine) + 1;
    for (int step = 0; step <= steps; ++step) {
      const double t = static_cast<double>(step) / steps;
      const double x = a.x + t * (b.x - a.x), y = a.y + t * (b.y - a.y);
      rect({x - radius, y - radius}, {x + radius, y + radius}, colour, 1);
    }
  }
}

void PixelPlot::dashes(double x, double top, double bottom, Rgb colour) {
  constexpr double kDash = 5, kPeriod = 9;
  for (double y = top; y < bottom; y += kPeriod) {
    rect({x - 0.5, y}, {x + 0.5, std::min(y + kDash, bottom)}, colour, 1);
  }
}

void PixelPlot::text(Point at, std::string_view text, Rgb colour, Anchor anchor, bool large) {
  const uint32_t scale = large ? 3 : 2;
  const double width = text_width(text, scale);
  const double x = at.x - (anchor == Anchor::kStart ? 0 : anchor == Anchor::kMiddle ? 0.5 * width : width);
  labels_.push_back({static_cast<uint32_t>(std::max(0.0, std::round(x))),
                     static_cast<uint32_t>(std::max(0.0, std::round(at.y))), scale, std::string(text), colour});
}

Pixels PixelPlot::pixels() const {
  Pixels shown = shrink(large_, size_);
  for (const Label& label : labels_) draw_text(shown, label.x, label.y, label.text, label.scale, label.colour);
  return shown;
}

}  // namespace onepass::cli
