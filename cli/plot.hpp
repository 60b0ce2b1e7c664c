// plot.hpp: draws rectangles, lines and text to SVG or to pixels.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "canvas.hpp"

namespace onepass::cli {

/// A position in pixels; x to the right, y down.
struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor { kStart, kMiddle, kEnd };

/// A surface to draw on. Later shapes cover earlier ones; text covers all shapes.
class Plot {
 public:
  virtual ~Plot() = default;
  /// `opacity` 0 to 1.
  virtual void rect(Point from, Point to, Rgb colour, double opacity = 1) = 0;
  virtual void line(const std::vector<Point>& points, Rgb colour, double width) = 0;
  /// A dashed line from (x, top) to (x, bottom).
  virtual void dashes(double x, double top, double bottom, Rgb colour) = 0;
  /// `at.y` is the top of the text line. `large`: for titles.
  virtual void text(Point at, std::string_view text, Rgb colour, Anchor anchor = Anchor::kStart,
                    bool large = false) = 0;
};

/// Height of a text line and width of one character, in pixels.
inline constexpr double kPlotText = 18;
inline constexpr double kPlotAdvance = 12;

/// Collects SVG elements.
class SvgPlot : public Plot {
 public:
  SvgPlot(Extent size, Rgb background);
  void rect(Point from, Point to, Rgb colour, double opacity) override;
  void line(const std::vector<Point>& points, Rgb colour, double width) override;
  void dashes(double x, double top, double bottom, Rgb colour) override;
  void text(Point at, std::string_view text, Rgb colour, Anchor anchor, bool large) override;
  /// The whole document.
  [[nodiscard]] std::string document() const { return body_ + text_ + "</svg>\n"; }

 private:
  std::string body_, text_;
};

/// Draws pixels with supersampling.
class PixelPlot : public Plot {
 public:
  PixelPlot(Extent size, Rgb background);
  void rect(Point from, Point to, Rgb colour, double opacity) override;
  void line(const std::vector<Point>& points, Rgb colour, double width) override;
  void dashes(double x, double top, double bottom, Rgb colour) override;
  void text(Point at, std::string_view text, Rgb colour, Anchor anchor, bool large) override;
  [[nodiscard]] Pixels pixels() const;

 private:
  struct Label {
    uint32_t x, y, scale;
    std::string text;
    Rgb colour;
  };
  Extent size_;
  Pixels large_;
  std::vector<Label> labels_;
};

}  // namespace onepass::cli
